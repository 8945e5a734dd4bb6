"""A submission: executor settings in, the TrainJob and its companions out, with everything that is known about them.

Building and judging are apart. What NeMo-Run would build is built and returned with its findings, errors
included; a refusal means that NeMo-Run itself could not build it.
"""

from __future__ import annotations

from nvcre_render import emit
from nvcre_render.checks import executor_rules, field_rules, reading_rules
from nvcre_render.checks.executor_rules.submitted import Submitted
from nvcre_render.diagnostics import Diagnostic, RenderError, Report
from nvcre_render.executor import manifest, names, releases, settings, task, workdir
from nvcre_render.positions import Position
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from nvcre_render.document import Document
    from nvcre_render.executor.settings import Settings
    from nvcre_render.executor.workdir import LaunchScript


class Submission(Record):
    """What one submission creates, and what users should know about it.

    `train_job` is in the form that the Trainer release `release` understands; `nemo_run` is what NeMo-Run itself
    writes (the same for Trainer 2.1). With a workdir claim, `data_mover` is the pod that fills it and `transfers`
    are the commands that do, each a list of words, run after the pod and before the TrainJob is created. `files` are
    what NeMo-Run generates in the run's folder (path to text); `launch_script` describes the main one of a task.
    """

    train_job: dict[str, Any]
    nemo_run: dict[str, Any]
    release: str
    diagnostics: tuple[Diagnostic, ...]
    data_mover: dict[str, Any] | None = None
    transfers: tuple[tuple[str, ...], ...] = ()
    launch_script: LaunchScript | None = None
    files: Mapping[str, str] = {}

    @property
    def ok(self) -> bool:
        """Whether there is no error (warnings do not count)."""
        return Report(self.diagnostics).ok

    @property
    def objects(self) -> tuple[dict[str, Any], ...]:
        """The Kubernetes objects in the order in which they are created: the data mover, if any, and the TrainJob."""
        return (self.train_job,) if self.data_mover is None else (self.data_mover, self.train_job)

    def to_yaml(self) -> str:
        """Return the objects as YAML; comments tell the transfers and the generated files."""
        return to_yaml([self])

    def to_json(self) -> str:
        """Return the TrainJob as JSON, or the objects in a v1 List when there are several."""
        return to_json([self])


def to_yaml(submissions: Sequence[Submission]) -> str:
    """Return the objects of several submissions as one YAML text."""
    return "---\n".join(_commented(submission) for submission in submissions)


def _commented(submission: Submission) -> str:
    """Return one submission as YAML, its steps as comments around the documents."""
    if submission.data_mover is None:
        return emit.to_yaml(submission.train_job)
    import shlex

    lines = ["Created first; deleted once these commands have filled the claim:"]
    lines += [f"  {line}" for words in submission.transfers for line in shlex.join(words).splitlines()]
    for path, text in submission.files.items():
        lines += [f"Generated in the run's folder, {path}:", *(f"  | {line}" for line in text.splitlines())]
    comment = "".join(f"# {_printable(line)}".rstrip() + "\n" for line in lines)
    return f"{comment}{emit.to_yaml(submission.data_mover)}---\n{emit.to_yaml(submission.train_job)}"


def _printable(line: str) -> str:
    """Escape what may not stand in a YAML comment, and what would move a terminal's cursor."""
    if line.isprintable():
        return line
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in line)


def to_json(submissions: Sequence[Submission]) -> str:
    """Return the objects of several submissions as JSON, in a v1 List unless there is exactly one."""
    objects = [item for submission in submissions for item in submission.objects]
    if len(objects) == 1:
        return emit.to_json(objects[0])
    return emit.to_json({"apiVersion": "v1", "kind": "List", "items": objects})


def trainjob(
    executor: object,
    *,
    name: str | None = None,
    command: Sequence[str] | None = None,
    task: object = None,
    name_suffix: str | None = None,
    user: str | None = None,
    drawn_rdzv_id: int | None = None,
    trainer_release: str | None = None,
    filename: str = "<input>",
) -> Submission:
    """Return what NeMo-Run's KubeflowExecutor would submit, with every finding about it.

    `executor` is YAML or JSON text (str or bytes), NeMo-Run's own saved form included, a mapping, or a live
    KubeflowExecutor or `run.Config` of one; it is not changed. Either `command` (a ready list of words) or `task`
    (a run.Script, or a mapping with path or inline, args, entrypoint, m, env) says what to run. These and the
    other inputs may stand in `executor` too, and an argument wins: `name` is the task's name (`job_name` there),
    `name_suffix` the six characters NeMo-Run draws for the Kubernetes name (default 000000), `user` the login name,
    `drawn_rdzv_id` the rendezvous id it draws (default 1), `trainer_release` the Kubeflow Trainer release in the
    cluster: 2.0, 2.1 (default, the one NeMo-Run writes for), 2.2 or 2.3. `filename` is shown in findings.

    Raises RenderError when NeMo-Run could not build the job (the findings say why) or when the text holds none;
    ValueError when it holds several. Other errors are only in `Submission.diagnostics`. (NeMo-Run KubeflowExecutor)
    """
    inputs, faults = settings.inputs(
        job_name=name,
        command=command,
        task=task,
        name_suffix=name_suffix,
        user=user,
        drawn_rdzv_id=drawn_rdzv_id,
        trainer_release=trainer_release,
    )
    documents, findings = settings.read(executor, filename)
    found, findings = submit(documents, [*findings, *faults], inputs, filename)
    if not found:
        raise RenderError(findings)
    if len(found) != 1:
        raise ValueError(f"{len(found)} executors stand in {filename}; give one")
    return found[0]


def submit(
    documents: Iterable[Document], findings: Sequence[Diagnostic], inputs: Mapping[str, object], filename: str
) -> tuple[list[Submission], list[Diagnostic]]:
    """Return the submissions of several documents and all findings; the list is empty when one cannot be built.

    `findings` are those of reading the documents; `inputs` take the place of the documents' own. Kubernetes objects
    among the documents are left alone.
    """
    documents, found = list(documents), list(findings)
    ours = [document for document in documents if not settings.is_object(document.data)]
    if ours:
        found += [_foreign(document) for document in documents if document not in ours]
    elif not found:
        found.append(_nothing(documents, filename))
    made = []
    for document in ours:
        submission, faults = build(settings.with_inputs(document, inputs))
        found += faults
        if submission is not None:
            made.append(submission)
    return made if len(made) == len(ours) and Report(findings).ok else [], found


def check(document: Document) -> list[Diagnostic]:
    """Return every finding about one document of executor settings, for the release it names (default 2.1)."""
    return build(document)[1]


def build(document: Document) -> tuple[Submission | None, list[Diagnostic]]:
    """Return the submission of one document, None when NeMo-Run could not build it, and every finding about it."""
    if not isinstance(document.data, dict):
        return None, [field_rules.WRONG_TYPE.at(document, (), "executor settings are a mapping")]
    given = settings.fill(document)
    findings = executor_rules.check_settings(given)
    if any(executor_rules.stops(found, given) for found in findings):
        return None, list(Report(findings))
    submission = _build(given)
    findings += executor_rules.check_submitted(_judged(given, submission))
    report = Report(_without_repeats(findings))
    return Submission(**{**vars(submission), "diagnostics": report.diagnostics}), list(report)


def _build(given: Settings) -> Submission:
    """Build everything, unjudged."""
    values = given.values
    release = releases.release(values["trainer_release"])
    job_name = names.train_job_name(values["train_job_basename"], task.name(given), values["name_suffix"])
    words = task.command(given) if given.is_task else values["command"]
    script = workdir.launch_script(given, words) if given.is_task and given.has_workdir else None
    job = manifest.build(values, job_name, words if script is None else ["/bin/bash", script.path])
    ours = (
        job if release.name == releases.NEMO_RUN else releases.translate(releases.pruned(job, release.shape), release)
    )
    transfers = workdir.transfers(given, job_name) if given.has_workdir else []
    return Submission(
        train_job=ours,
        nemo_run=job,
        release=release.name,
        diagnostics=(),
        data_mover=workdir.data_mover(given, job_name) if given.has_workdir else None,
        transfers=tuple(map(tuple, transfers)),
        launch_script=script,
        files=_files(given, script),
    )


def _files(given: Settings, script: LaunchScript | None) -> dict[str, str]:
    """Return what NeMo-Run writes into the run's folder: the launch script and the text of an inline script."""
    files = {} if script is None else {workdir.LAUNCH_SCRIPT: script.text}
    inline = task.script(given.values)["inline"] if given.is_task else ""
    if inline:
        files[f"scripts/{task.inline_file(given)}"] = f"#!/usr/bin/bash\n{inline}"
    return files


def _judged(given: Settings, submission: Submission) -> Submitted:
    release, job = releases.release(submission.release), submission.nemo_run
    return Submitted(
        settings=given,
        job=job,
        kept=releases.pruned(job, release.shape),
        lost=tuple(releases.unknown(job, release.shape)),
        release=release,
    )


def _without_repeats(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Drop what a rule about the built TrainJob says of a field whose form was found wrong already."""
    wrong = {found.path for found in findings if found.code.startswith("NR2") and found.path}
    return [
        found
        for found in findings
        if found.code.startswith("NR2") or not any(found.path[: len(path)] == path for path in wrong)
    ]


def _foreign(document: Document) -> Diagnostic:
    message = f"a {document.data.get('kind', 'Kubernetes object')} is not executor settings and is left alone"
    return reading_rules.FOREIGN_KIND.at(document, ("kind",), message)


def _nothing(documents: Sequence[Document], filename: str) -> Diagnostic:
    kinds = ", ".join(sorted({str(document.data.get("kind")) for document in documents}))
    message = f"the only documents are of kind {kinds}" if documents else "the input holds no executor settings"
    remedy = "give a file with the settings of a KubeflowExecutor (WorkloadRuns are for nvcre-render render)"
    place = Position(file=filename, line=1, column=1)
    return Diagnostic(rule=reading_rules.NO_MANIFEST, message=message, position=place, remedy=remedy)
