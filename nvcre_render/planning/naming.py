"""Names of the objects that a Workflow brings forth. (NVCRE guide, generated names.)"""

from __future__ import annotations

from nvcre_render.record import Record

JOB_LIMIT = 35
TRAIN_JOB_LIMIT = 44
COPY_LIMIT = 63
WORKFLOW_LIMIT = 31  # of the names that certifications make up; a WorkloadRun's name is never cut
_HASH = 5  # hexadecimal digits
_OFFSET, _PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF


def truncate(name: str, limit: int) -> str:
    """Return `name` if it fits, else its beginning, a hyphen and the hash of the whole name.

    >>> truncate("nemotron5-certification-training-nemotron5", 31)
    'nemotron5-certification-t-9b1bc'
    """
    if len(name) <= limit:
        return name
    kept = max(1, limit - _HASH - 1)
    return f"{name[:kept].rstrip('-')}-{digest(name)}"


def digest(text: str) -> str:
    """Return the first five digits of the text's 32-bit FNV-1a hash; leading zeros are not written.

    >>> digest("nccl")
    '71c03'
    """
    value = _OFFSET
    for byte in text.encode():
        value = (value ^ byte) * _PRIME & _MASK
    return f"{value:05x}"[:_HASH]


def workflow_hash(workflow: str) -> str:
    """Return what stands for a Workflow in the names of its copies: a last part of five characters, or the hash.

    >>> workflow_hash("nccl-bench"), workflow_hash("nccl")
    ('bench', '71c03')
    """
    _, hyphen, tail = workflow.rpartition("-")
    return tail if hyphen and len(tail) == _HASH else digest(workflow)


def train_job(job: str) -> str:
    """Return the name of a Job's TrainJob."""
    return truncate(f"{job}-workload", TRAIN_JOB_LIMIT)


def copy(dependency: str, suffix: str) -> str:
    """Return the name of a group's copy of a dependency, or of whatever is renamed along with it."""
    return truncate(dependency + suffix, COPY_LIMIT)


class Names(Record):
    """The names of one pass over the groups of a Workflow.

    `alone` says that there is at most one group and at most one iteration: then names carry neither.
    """

    workflow: str
    alone: bool
    iteration: int = 1

    def job(self, group: str) -> str:
        """Return the name of a group's Job."""
        long = f"{self.workflow}-{group}-iter-{self.iteration}"
        return truncate(f"{self.workflow}-job" if self.alone else long, JOB_LIMIT)

    def suffix(self, group: str) -> str:
        """Return what the names of a group's dependencies end in."""
        head = f"-{workflow_hash(self.workflow)}"
        # A later pass of a Workflow said to have one pass must not reuse the names of the first.
        short = self.alone and self.iteration <= 1
        return f"{head}-job" if short else f"{head}-{group}-iter-{self.iteration}"


def names(workflow: str, groups: int, iterations: int, iteration: int = 1, *, diagnose: bool = False) -> Names:
    """Return the names of one iteration over so many groups; a diagnosis always uses the long form."""
    return Names(workflow=workflow, alone=iterations <= 1 and groups <= 1 and not diagnose, iteration=iteration)
