"""The tolerations a group's pods get. (NVCRE guide, target and placement.)

The fixed ones are data: fragments/plan/objects.yaml.
"""

from __future__ import annotations

from nvcre_render import fragments
from nvcre_render.planning.placement import is_unpinned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Toleration = dict[str, Any]


def of_selectors(selectors: Iterable[Mapping[str, Any]]) -> list[Toleration]:
    """Return one toleration for each taint selector, in order.

    >>> of_selectors([{"key": "a", "value": "b", "effect": "NoSchedule"}, {"key": "c"}])[1]
    {'key': 'c', 'operator': 'Exists'}
    """
    return [_of_selector(selector) for selector in selectors]


def _of_selector(selector: Mapping[str, Any]) -> Toleration:
    toleration = {"key": selector["key"], "operator": "Exists"}
    if selector.get("value"):
        toleration |= {"operator": "Equal", "value": selector["value"]}
    if selector.get("effect"):
        toleration["effect"] = selector["effect"]
    return toleration


def of_job(placement: str, target: Mapping[str, Any] | None, *, launcher: bool) -> list[Toleration]:
    """Return the tolerations of a Job: those of the taint selectors; without any, what a launcher needs."""
    selectors = (target or {}).get("taintSelectors")
    if selectors:
        return of_selectors(selectors)
    if not launcher:
        return []
    fixed = fragments.load("plan/objects.yaml")["tolerations"]
    return [dict(each) for each in fixed["unpinned" if is_unpinned(placement) else "pinned"]]
