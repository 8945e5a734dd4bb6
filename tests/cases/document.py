"""YAML files and the values inside them."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

_TIMESTAMP = "tag:yaml.org,2002:timestamp"


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # chosen by what PyYAML was built with
    """The safe loader, except that a timestamp stays the text it is: these files hold JSON."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
    for first, resolvers in Loader.yaml_implicit_resolvers.items()
}


def text(path: str) -> str:
    """A file as it stands, line ends included."""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def parse(source: str) -> Any:
    """The one document of a YAML text."""
    return yaml.load(source, Loader)  # noqa: S506 - a safe loader


def parse_all(source: str) -> Iterator[Any]:
    """Every document of a YAML text."""
    yield from yaml.load_all(source, Loader)


def load(path: str) -> Any:
    """The one document of a YAML file."""
    return parse(text(path))


def load_mapping(path: str) -> dict[str, Any]:
    """The one document of a YAML file, which has to be a mapping."""
    data = load(path)
    if not isinstance(data, dict):
        raise TypeError(f"{path} holds no mapping")
    return data


def dig(data: Any, *keys: str | int) -> Any:
    """The value below the keys, None where a step is absent or of another kind."""
    for key in keys:
        if isinstance(key, int):
            data = data[key] if isinstance(data, list) and key < len(data) else None
        else:
            data = data.get(key) if isinstance(data, Mapping) else None
    return data


def named(items: Any, name: str) -> Any:
    """The item of a list with that name, None where there is none."""
    return next((item for item in items or [] if dig(item, "name") == name), None)


def names(items: Any) -> list[Any]:
    """The names of a list's items, in order."""
    return [dig(item, "name") for item in items or []]
