"""How a change and a piece of a manifest become one. (NVCRE guide, overrides; docs/merge.md.)

    dependency     objects merge, lists of named items merge by name, other lists are replaced
    template       the strategic merge of Kubernetes, in which no list of a job template merges
    orchestration  whole blocks are replaced

Dependencies and template share one walk; a `Policy` says what differs. deepmerge could carry the walk, and a test
holds ours to it, but importing it costs a resolved render a tenth of its cold start. The fourth kind of change,
JSON Patch, has its own module.

Nothing here changes its arguments. A result shares the parts it did not change with them.
"""

from __future__ import annotations

from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from nvcre_render.positions import Path

    Data = dict[str, Any]
    Items = list[Any]


class MergeError(ValueError):
    """A change that cannot be applied: the cause as text, and `path`, the place in the change that is at fault."""

    def __init__(self, cause: str, path: Path = ()) -> None:
        """Say what is wrong and where."""
        super().__init__(cause)
        self.path = path


class Policy(Record):
    """What one kind of merge decides where the walk meets a pair of values.

    `prepared` gives the two objects to merge, after directives. `lists` merges two lists. `taken` is what a change
    brings in where there was nothing, or something of another kind.
    """

    prepared: Callable[[Data, Data, Path], tuple[Data, Data]]
    lists: Callable[[Items, Items, Path], Items]
    taken: Callable[[Any], Any]


def walk(base: Any, change: Any, policy: Policy, path: Path = ()) -> Any:
    """Return `base` with `change` merged in by `policy`; a null in an object removes the key."""
    if isinstance(base, list) and isinstance(change, list):
        return policy.lists(base, change, path)
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return policy.taken(change)
    base, change = policy.prepared(base, change, path)
    result = dict(base)
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        elif key in base:
            result[key] = walk(base[key], value, policy, (*path, key))
        else:
            result[key] = policy.taken(value)
    return result


# -- dependencies ------------------------------------------------------------------------------------------------


def dependency(dependencies: Items, change: Data) -> Items:
    """Return the dependencies with `change` merged into the first of the same identity, or appended.

    A `when` beside the keys of a dependency takes no part in the merge. (NVCRE guide, overrides: dependencies.)
    """
    wanted = identity(change)
    for index, existing in enumerate(dependencies):
        if identity(existing) == wanted:
            own = {key: value for key, value in change.items() if key != "when"}
            merged = walk(existing, own, DEPENDENCY)
            return [*dependencies[:index], _written(merged), *dependencies[index + 1 :]]
    return [*dependencies, _written(change)]


def _written(dependency: Data) -> Data:
    """Copy a dependency as NVCRE writes it: keys sorted, no empty `when`."""
    return {key: copied(dependency[key]) for key in sorted(dependency) if key != "when" or dependency[key]}


def identity(dependency: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what tells one dependency from another: apiVersion, kind and name; the empty text where one is missing."""
    metadata = dependency.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else ""
    parts = (dependency.get("apiVersion"), dependency.get("kind"), name)
    return tuple(part if isinstance(part, str) else "" for part in parts)  # type: ignore[return-value]  # three parts


def by_name(base: Items, change: Items, path: Path) -> Items:
    """Merge two lists by the names of their items, or take the second where an item of either has no name.

    Items of `base` keep their order, new ones follow. Of a name that is repeated in one list its last item counts.
    """
    if not (is_named(base) and is_named(change)):
        return change
    existing, changes = _indexed(base), _indexed(change)
    merged = {
        name: walk(item, changes[name], DEPENDENCY, (*path, name)) if name in changes else item
        for name, item in existing.items()
    }
    return [merged[item["name"]] for item in base] + [
        changes[item["name"]] for item in change if item["name"] not in existing
    ]


def is_named(items: Items) -> bool:
    """Tell whether there are items, all of them objects with a name."""
    return bool(items) and all(
        isinstance(item, dict) and isinstance(item.get("name"), str) and item["name"] for item in items
    )


def _indexed(items: Items) -> dict[str, Data]:
    return {item["name"]: item for item in items}


def copied(value: Any) -> Any:
    """Return a deep copy with sorted keys."""
    if isinstance(value, dict):
        return {key: copied(value[key]) for key in sorted(value)}
    return [copied(item) for item in value] if isinstance(value, list) else value


def _unprepared(base: Data, change: Data, path: Path) -> tuple[Data, Data]:  # noqa: ARG001  # a Policy's signature
    return base, change


def _verbatim(value: Any) -> Any:
    return value


DEPENDENCY = Policy(prepared=_unprepared, lists=by_name, taken=_verbatim)


# -- the job template --------------------------------------------------------------------------------------------

_PATCH = "$patch"
_RETAIN = "$retainKeys"
_DELETE = "$deleteFromPrimitiveList/"
_ORDER = "$setElementOrder/"


def template(base: Data, change: Any) -> Data:
    """Return the job template with the strategic merge patch `change` applied.

    Raises MergeError for a patch that is not an object, an unknown `$patch`, and a key that `$retainKeys` does not
    list. (Kubernetes, strategic merge patch; NVCRE guide, overrides: jobTemplate.)
    """
    if not isinstance(change, dict):
        raise MergeError(f"invalid JSON document: {kind_of(change)} stands where an object belongs")
    merged: Data = walk(base, change, TEMPLATE)
    return merged


def is_directive(key: str) -> bool:
    """Tell whether a key is an instruction of the patch format rather than a field."""
    return key in (_PATCH, _RETAIN) or key.startswith((_DELETE, _ORDER))


def _directed(base: Data, change: Data, path: Path) -> tuple[Data, Data]:
    """Obey the directives of a patch object: what remains is two plain objects to merge."""
    if not any(map(is_directive, change)):
        return base, change
    fields = {key: value for key, value in change.items() if not is_directive(key)}
    if _PATCH in change:
        return _replacement(change[_PATCH], fields, path), {}
    result = _retained(base, fields, change, path)
    for key, items in change.items():
        field = key.partition("/")[2]
        current = fields.get(field, result.get(field))
        if not (isinstance(current, list) and isinstance(items, list)):
            continue
        if key.startswith(_DELETE):
            result[field] = [item for item in current if not _among(item, items)]
            fields.pop(field, None)
        elif key.startswith(_ORDER) and not any(isinstance(item, (dict, list)) for item in current):
            listed = [item for item in items if _among(item, current)]
            result[field] = _placed([item for item in current if not _among(item, items)], listed, current)
            fields.pop(field, None)
    return result, fields


def _replacement(directive: Any, fields: Data, path: Path) -> Data:
    if directive == "replace":
        return fields
    if directive == "delete":
        return {}
    raise MergeError(f'unknown patch type "{directive}": $patch is replace or delete', (*path, _PATCH))


def _retained(base: Data, fields: Data, change: Data, path: Path) -> Data:
    """Return the object without the keys that `$retainKeys` does not list."""
    if _RETAIN not in change:
        return dict(base)
    kept = change[_RETAIN]
    if not isinstance(kept, list):
        raise MergeError(f"$retainKeys is {kind_of(kept)}, not a list of keys", (*path, _RETAIN))
    for key, value in fields.items():
        if value is not None and key not in kept:
            raise MergeError(f'"{key}" is set but not listed in $retainKeys', (*path, key))
    return {key: value for key, value in base.items() if key in kept}


def _template_list(base: Items, change: Items, path: Path) -> Items:
    """Take the list of the patch; the two lists of the template's own metadata are the exceptions."""
    if path == ("metadata", "finalizers"):
        kept = [item for item in base if not _among(item, change)]
        return _placed(kept, [item for index, item in enumerate(change) if not _among(item, change[:index])], base)
    if path == ("metadata", "ownerReferences"):
        return _by_uid(base, change, path)
    return change


def _by_uid(base: Items, change: Items, path: Path) -> Items:
    for index, item in enumerate(change):
        if not (isinstance(item, dict) and item.get("uid")):
            raise MergeError("an owner reference has no uid to merge by", (*path, index))
    existing = {item["uid"]: item for item in base}
    merged = [
        walk(existing[item["uid"]], item, TEMPLATE, (*path, index)) if item["uid"] in existing else _pruned(item)
        for index, item in enumerate(change)
    ]
    named = {item["uid"] for item in change}
    return _placed([item for item in base if item["uid"] not in named], merged, base)


def _placed(kept: Items, patched: Items, order: Items) -> Items:
    """Join what a patch left alone with what it lists: in its order, each kept item before those it stood before."""
    result: Items = []
    waiting = list(kept)
    for item in patched:
        place = _place(item, order)
        while waiting and _place(waiting[0], order) < place:
            result.append(waiting.pop(0))
        result.append(item)
    return result + waiting


def _place(item: Any, order: Items) -> int:
    """Return where an item stood, -1 for a new one."""
    uid = item.get("uid") if isinstance(item, dict) else None
    for index, each in enumerate(order):
        if same(each, item) or (uid and each.get("uid") == uid):
            return index
    return -1


def _pruned(value: Any) -> Any:
    """Return what a patch brings in anew: without nulls in objects, and without what carries a `$patch`."""
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if item is not None and key != _PATCH}
        return {key: _pruned(item) for key, item in kept.items() if not _is_directed(item)}
    return [_pruned(item) for item in value if not _is_directed(item)] if isinstance(value, list) else value


def _is_directed(value: Any) -> bool:
    return isinstance(value, dict) and _PATCH in value


TEMPLATE = Policy(prepared=_directed, lists=_template_list, taken=_pruned)


# -- orchestration -----------------------------------------------------------------------------------------------

_BLOCKS = ("target", "topology", "placement", "execution", "iterations")


def orchestration(base: Mapping[str, Any], change: Mapping[str, Any]) -> Data:
    """Return the orchestration with each block of `change` in place of the former one, as a whole.

    An absent, null or empty text leaves the base alone; `diagnose` is not applied. (NVCRE guide, overrides.)
    """
    return {**base, **{key: change[key] for key in _BLOCKS if change.get(key) not in (None, "")}}


# -- JSON as data ------------------------------------------------------------------------------------------------


def same(left: Any, right: Any) -> bool:
    """Tell whether two values are the same JSON: true is not 1, and 1 is not 1.0."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def _among(item: Any, items: Iterable[Any]) -> bool:
    return any(same(item, each) for each in items)


def kind_of(value: Any) -> str:
    """Say in words what kind of JSON a value is."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "nothing")
