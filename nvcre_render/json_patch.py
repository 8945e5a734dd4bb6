"""JSON Patch on a job template, as NVCRE applies it. (RFC 6902; NVCRE guide, overrides: jobTemplatePatch.)"""

from __future__ import annotations

import json

from nvcre_render.merge import MergeError, copied, kind_of, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Items = list[Any]

_MAX_SHOWN = 80  # characters of a value in a message
_OPERANDS = {
    "add": ("path", "value"),
    "remove": ("path",),
    "replace": ("path", "value"),
    "move": ("path", "from"),
    "copy": ("path", "from"),
    "test": ("path",),
}


def apply(document: Any, operations: Any) -> Any:
    """Return `document` with the operations of a JSON Patch applied in order.

    Every operation is checked before the first is applied. As in NVCRE, a negative list index counts from the end,
    and `test` of a missing key passes when null is expected. Raises MergeError; its path is the operation's index.
    (RFC 6902; NVCRE guide, overrides: jobTemplatePatch.)
    """
    require_valid(operations)
    result = copied(document)
    for index, operation in enumerate(operations):
        try:
            result = _operate(result, operation)
        except MergeError as error:
            raise MergeError(f'operation {index} ("{operation["op"]}"): {error}', (index,)) from error
    return result


def require_valid(operations: Any) -> None:
    """Raise MergeError for what is no list of JSON Patch operations, whatever document they would be applied to."""
    if not isinstance(operations, list):
        raise MergeError(f"invalid JSON Patch: {kind_of(operations)} stands where a list of operations belongs")
    for index, operation in enumerate(operations):
        problem = _problem(operation)
        if problem:
            raise MergeError(f"invalid JSON Patch: operation {index} {problem}", (index,))


def unwrapped(operations: Any) -> Any:
    """Return the operations that a platform fragment gives as JSON text; those of a list as they are.

    Only fragments have the text form: in a manifest it is an invalid patch. Raises MergeError for other text.
    """
    if not isinstance(operations, str):
        return operations
    try:
        return json.loads(operations)
    except ValueError as error:
        raise MergeError(f"invalid JSON Patch: the text is not JSON: {error}") from error


def _problem(operation: Any) -> str | None:
    if not isinstance(operation, dict):
        return f"is {kind_of(operation)}, not an object"
    name = operation.get("op")
    if not (isinstance(name, str) and name in _OPERANDS):
        return f"has the op {_shown(name)}, not one of {', '.join(_OPERANDS)}"
    for key in _OPERANDS[name]:
        if key not in operation:
            return f'("{name}") has no {key}'
        if key != "value" and not isinstance(operation[key], str):
            return f'("{name}") has a {key} that is {kind_of(operation[key])}, not a text'
    return None


def _operate(document: Any, operation: Mapping[str, Any]) -> Any:
    name, path = operation["op"], operation["path"]
    if name == "test":
        _test(document, path, operation.get("value"))
        return document
    if name == "move":
        value = _value_at(document, operation["from"])
        return _edit(_edit(document, "remove", operation["from"]), "add", path, value)
    if name == "copy":
        return _edit(document, "add", path, copied(_value_at(document, operation["from"])))
    return _edit(document, name, path, copied(operation.get("value")))


def _edit(document: Any, name: str, path: str, value: Any = None) -> Any:
    """Let the library change our own copy; the path is checked here, for its words name neither path nor index."""
    import jsonpatch

    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in _steps(document, path, name))
    try:
        return jsonpatch.apply_patch(document, [{"op": name, "path": pointer, "value": value}], in_place=True)
    except jsonpatch.JsonPatchConflict as error:
        raise MergeError(f"{path or 'the whole template'}: {error}") from error


def _test(document: Any, path: str, expected: Any) -> None:
    try:
        found = _value_at(document, path)
    except MergeError:
        if expected is not None:
            raise MergeError(f"the test of {path} failed: there is nothing") from None
        return
    if not same(found, expected):
        raise MergeError(f"the test of {path} failed: found {_shown(found)}, expected {_shown(expected)}")


def _value_at(document: Any, path: str) -> Any:
    value = document
    for step in _steps(document, path, "get"):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _steps(document: Any, path: str, name: str) -> list[str]:
    """Return the steps of a pointer with negative indices counted out; the last may be new for `add`."""
    if path and not path.startswith("/"):
        raise MergeError(f'"{path}" is not a path: it does not begin with /')
    steps: list[str] = []
    value = document
    given = path.split("/")[1:]
    for depth, text in enumerate(given):
        step = text.replace("~1", "/").replace("~0", "~")
        adds = name == "add" and depth == len(given) - 1
        if isinstance(value, list):
            step = _index(value, step, path, adds)
        elif not (isinstance(value, dict) and (adds or step in value)):
            raise MergeError(_lack(path, given[: depth + 1], name))
        steps.append(step)
        if not adds:
            value = value[int(step)] if isinstance(value, list) else value[step]
    return steps


def _lack(path: str, reached: list[str], name: str) -> str:
    here = "/".join(["", *reached])
    if name == "add":
        return f"{path}: the document lacks {here if here != path else 'anything to add to there'}"
    return f"{path} is missing" if here == path else f"{path} is missing: the document lacks {here}"


def _index(items: Items, text: str, path: str, adds: bool) -> str:
    """Return a list index as a count from the start; `-` stands behind the last item."""
    size = len(items) + adds
    if text == "-" and adds:
        return str(len(items))
    if not text.removeprefix("-").isdecimal():
        raise MergeError(f'{path}: "{text}" is not a list index')
    index = int(text)
    if not -size <= index < size:
        raise MergeError(f"{path}: there is no index {text} in a list of {len(items)}")
    return str(index % size)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
