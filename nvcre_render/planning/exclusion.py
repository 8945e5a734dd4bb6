"""Target nodes that the plan leaves out, and how that is told. (NVCRE guide, excluded nodes.)"""

from __future__ import annotations

from nvcre_render.planning.capacity import GPU
from nvcre_render.record import Record


class Exclusion(Record):
    """The nodes of a target that are not used, by cause.

    `cordoned` and `other_architecture` are names, `too_small` pairs names with the allocatable GPU count;
    `gpu_architecture` is the one kept, `need` the GPUs a pod asks for.
    """

    gpu_architecture: str = ""
    need: int = 0
    cordoned: tuple[str, ...] = ()
    other_architecture: tuple[str, ...] = ()
    too_small: tuple[tuple[str, int], ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """Every excluded node: cordoned, of another architecture, too small."""
        return (*self.cordoned, *self.other_architecture, *(name for name, _ in self.too_small))

    @property
    def reason(self) -> str:
        """One text with a sentence for each cause there is; empty when nothing is excluded."""
        texts = []
        if self.cordoned:
            texts.append(f"{counted(len(self.cordoned))} cordoned: {', '.join(self.cordoned)}")
        if self.other_architecture:
            texts.append(f"The target has several GPU architectures, only {self.gpu_architecture} is kept")
        if self.too_small:
            texts.append(f"{counted(len(self.too_small))} below the {self.need} {GPU} a pod asks for: {self.counts}")
        return ". ".join(texts)

    @property
    def counts(self) -> str:
        """The too small nodes as text, each with what it has."""
        return ", ".join(f"{name} has {count}" for name, count in self.too_small)

    def each(self) -> list[tuple[str, str]]:
        """Pair every excluded node with the reason it has of its own, in the order of `nodes`."""
        found = [(name, "cordoned (spec.unschedulable)") for name in self.cordoned]
        other = f"another GPU architecture than {self.gpu_architecture}, the one kept"
        found += [(name, other) for name in self.other_architecture]
        found += [(name, f"has {count} {GPU}, a pod asks for {self.need}") for name, count in self.too_small]
        return found


def counted(count: int) -> str:
    """Return a number of nodes as text, with its verb.

    >>> counted(1), counted(3)
    ('1 node is', '3 nodes are')
    """
    return f"{count} node{' is' if count == 1 else 's are'}"
