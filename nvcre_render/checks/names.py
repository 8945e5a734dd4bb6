"""Kubernetes' rules for names and labels, without regular expressions: compiling them would slow every start."""

from __future__ import annotations

MAX_LABEL = 63  # characters of a label value, and of the name part of a label key
MAX_SUBDOMAIN = 253

_LOWER = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_ALPHANUMERIC = _LOWER | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LABEL = _ALPHANUMERIC | frozenset("-_.")


def is_dns_label(text: str) -> bool:
    """Tell whether `text` is lower-case letters, digits and inner hyphens."""
    return text != "" and text[0] in _LOWER and text[-1] in _LOWER and (_LOWER | {"-"}).issuperset(text)


def is_dns_subdomain(text: str) -> bool:
    """Tell whether `text` is DNS labels joined by dots, 253 characters at most; their own length is free."""
    return len(text) <= MAX_SUBDOMAIN and all(map(is_dns_label, text.split(".")))


def is_label_name(text: str) -> bool:
    """Tell whether `text` is 1 to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends."""
    return (
        0 < len(text) <= MAX_LABEL
        and text[0] in _ALPHANUMERIC
        and text[-1] in _ALPHANUMERIC
        and _LABEL.issuperset(text)
    )


def is_label_value(text: str) -> bool:
    """Tell whether `text` may be the value of a label; the empty text may."""
    return text == "" or is_label_name(text)


def is_qualified_name(text: str) -> bool:
    """Tell whether `text` may be the key of a label: an optional DNS subdomain and a slash, then a label name."""
    prefix, slash, name = text.rpartition("/")
    return is_label_name(name) and (not slash or is_dns_subdomain(prefix))
