"""Commands and launch scripts that do something else than they say (NR94x, NR95x). (NeMo-Run KubeflowExecutor)

A ready command and a command without workdir run without a shell; with a workdir, the launch script is bash.
"""

from __future__ import annotations

import re
import shlex

from nvcre_render.checks.executor_rules.submitted import task
from nvcre_render.diagnostics import ERROR, WARNING, Rule
from nvcre_render.executor import launcher
from nvcre_render.executor.task import expand, folder, script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.checks.executor_rules.submitted import Submitted
    from nvcre_render.diagnostics import Diagnostic

_WORKDIR = "workdir_pvc: work\nworkdir_pvc_path: /work\n"

UNEXPANDED_ADDRESS = Rule(
    code="NR941",
    name="unexpanded-rendezvous",
    severity=ERROR,
    summary="A launcher on several nodes whose rendezvous address no shell expands.",
    why="torchrun is given $PET_MASTER_ADDR and $PET_NODE_RANK, which only the launch script of a workdir expands;"
    " without one the words reach torchrun as they stand, and the nodes never meet.",
    remedy="set workdir_pvc, or run torchrun by a ready command through bash -c",
    bad=task("launcher: torchrun  # error\nnum_nodes: 2\n"),
    good=task("launcher: torchrun\nnum_nodes: 2\n" + _WORKDIR),
)
UNQUOTED_EXPORT = Rule(
    code="NR945",
    name="unquoted-export",
    severity=WARNING,
    summary="A variable whose value the launch script's shell takes apart.",
    why="The script exports env_vars without quotes, later than the manifest sets them, so the changed value wins.",
    remedy="move the variable to env_list, which the script does not repeat",
    bad=task(_WORKDIR + "env_vars:\n  GREETING: hello world  # warning\n"),
    good=task(_WORKDIR + "env_list:\n- {name: GREETING, value: hello world}\n"),
)
UNQUOTED_ARGUMENT = Rule(
    code="NR946",
    name="unquoted-argument",
    severity=WARNING,
    summary="A word of the command that the launch script's shell takes apart.",
    why="Without a launcher NeMo-Run joins the words by spaces and quotes none, so a space makes two words of one.",
    remedy="use launcher: torchrun, which quotes, or write words without spaces and shell characters",
    bad=task(_WORKDIR, script="path: /opt/train.py, entrypoint: python, args: ['--name=my run']").replace(
        "run']}", "run']}  # warning"
    ),
    good=task(_WORKDIR, script="path: /opt/train.py, entrypoint: python, args: ['--name=my-run']"),
)
BYPASSED = Rule(
    code="NR947",
    name="bypassed-entrypoint",
    severity=WARNING,
    summary="An entrypoint that a launcher does not use.",
    why="Unless it is exactly python, torchrun starts the file itself, which must be executable and name its"
    " interpreter.",
    remedy="write entrypoint: python, or make the file executable with an interpreter line",
    bad=task("launcher: torchrun\n", script="path: /opt/train.py, entrypoint: python3").replace(
        "python3}", "python3}  # warning"
    ),
    good=task("launcher: torchrun\n"),
)
DROPPED = Rule(
    code="NR948",
    name="dropped-script-setting",
    severity=WARNING,
    summary="A setting of the script that reaches neither the manifest nor the launch script.",
    why="NeMo-Run passes on the executor's variables only, and no arguments to an inline script without a launcher.",
    remedy="write env_vars, and put arguments into the script's text",
    bad=task(script="path: /opt/train.py, entrypoint: python, env: {LEVEL: '1'}").replace("'1'}}", "'1'}}  # warning"),
    good=task("env_vars: {LEVEL: '1'}\n"),
)
PROFILE = Rule(
    code="NR949",
    name="profile-in-local-folder",
    severity=WARNING,
    summary="The profiler writes to a folder of the submitting machine.",
    why="NeMo-Run gives nsys the run's local folder, which the pods do not have, so the report is lost or refused.",
    remedy="set nsys_folder to an absolute path on a volume of the pods",
    bad=task("launcher:\n  _target_: nemo_run.core.execution.launcher.Torchrun\n  nsys_profile: true  # warning\n"),
    good=task(
        "launcher: {_target_: nemo_run.core.execution.launcher.Torchrun, nsys_profile: true, nsys_folder: /data/nsys}\n"
    ),
)
LITERAL_QUOTES = Rule(
    code="NR953",
    name="literal-quotes",
    severity=WARNING,
    summary="Quotes that no shell removes.",
    why="A launcher quotes every word for a shell, and without workdir_pvc there is none: the program sees the quotes.",
    remedy="set workdir_pvc, or write words without spaces and shell characters",
    bad=task("launcher: torchrun\n", script="path: /opt/train.py, entrypoint: python, args: ['a b']").replace(
        "'a b']}", "'a b']}  # warning"
    ),
    good=task("launcher: torchrun\n", script="path: /opt/train.py, entrypoint: python, args: [a, b]"),
)
LITERAL_VARIABLE = Rule(
    code="NR954",
    name="literal-variable",
    severity=WARNING,
    summary="A $NAME in an argument that no shell expands.",
    why="Without workdir_pvc no shell runs the command, and a launcher puts the argument in quotes; the program sees"
    " the dollar sign.",
    remedy="read the variable in the program, or run it through a script",
    bad=task(script="path: /opt/train.py, entrypoint: python, args: ['--out=$HOME']").replace(
        "E']}", "E']}  # warning"
    ),
    good=task(_WORKDIR, script="path: /opt/train.py, entrypoint: python, args: ['--out=$HOME']"),
)

# What bash takes for more than a character of an unquoted word, besides a $ that begins a variable.
_SHELL = re.compile(r"[\s|&;()<>`\\\"'*?\[\]{}~#!]|^$")
_EXPORT = re.compile(r"[\s|&;()<>`\\\"'$*?#~]")
_VARIABLE = re.compile(r"\$\{?[A-Za-z_]")


def check(submitted: Submitted) -> Iterator[Diagnostic]:
    """Yield what happens to a task's words and variables on their way into the pod."""
    if not submitted.settings.is_task:
        return
    yield from _check_script(submitted)
    yield from _check_words(submitted)
    yield from _check_profiler(submitted)
    if submitted.settings.has_workdir:
        for name, value in submitted.values["env_vars"].items():
            if _EXPORT.search(value):
                message = f"the launch script exports {name}={value} without quotes"
                yield submitted.at(UNQUOTED_EXPORT, ("env_vars", name), message)


def _check_script(submitted: Submitted) -> Iterator[Diagnostic]:
    given = script(submitted.values)
    distributed = launcher.is_distributed(submitted.values["launcher"])
    if given["env"]:
        names = ", ".join(given["env"])
        message = f"the script's variables ({names}) are not passed on"
        yield submitted.at(DROPPED, ("task", "env"), message, remedy="write them as env_vars")
    if distributed and not given["m"] and not given["inline"] and given["entrypoint"] not in ("python", "bash", "sh"):
        message = f"the launcher starts {given['path']} itself, without {given['entrypoint']}"
        yield submitted.at(BYPASSED, ("task", "entrypoint"), message)
    if given["inline"] and given["args"] and not distributed:
        message = "an inline script without a launcher gets no arguments"
        yield submitted.at(DROPPED, ("task", "args"), message, remedy="put the arguments into the script's text")


def _check_words(submitted: Submitted) -> Iterator[Diagnostic]:
    settings, values = submitted.settings, submitted.values
    distributed, shell = launcher.is_distributed(values["launcher"]), settings.has_workdir
    if distributed and not shell and str(values["num_nodes"]) != "1" and _runs(submitted):
        message = f"{launcher.MASTER} and {launcher.RANK} reach torchrun unexpanded on several nodes"
        yield submitted.at(UNEXPANDED_ADDRESS, ("launcher",), message)
    given = script(values)
    passed = [] if given["inline"] and not distributed else [*enumerate(given["args"])]
    for index, argument in passed:
        word, path = expand(argument), ("task", "args", index)
        if _VARIABLE.search(word) and (distributed or not shell):
            yield submitted.at(LITERAL_VARIABLE, path, f"the program sees {word} as it stands")
        elif distributed and not shell and shlex.quote(word) != word:
            yield submitted.at(LITERAL_QUOTES, path, f"the program sees {shlex.quote(word)}, quotes included")
        elif shell and not distributed and _SHELL.search(word):
            yield submitted.at(UNQUOTED_ARGUMENT, path, f"the launch script runs {word} unquoted")


def _runs(submitted: Submitted) -> bool:
    """Tell whether the task's own words are what the container runs."""
    trainer = submitted.job["spec"].get("trainer")
    words = trainer.get("command") if isinstance(trainer, dict) else None
    return isinstance(words, list) and any(launcher.MASTER in str(word) for word in words)


def _check_profiler(submitted: Submitted) -> Iterator[Diagnostic]:
    options = launcher.options(submitted.values["launcher"])
    absolute = str(options["nsys_folder"]).startswith("/")
    if options["nsys_profile"] and not absolute and not str(options["nsys_filename"]).startswith("/"):
        place = f"{folder(submitted.settings)}/{options['nsys_folder']}"
        local = submitted.values["workdir_local_path"]
        if submitted.settings.has_workdir and local and place.startswith(local.rstrip("/")):
            return  # rewritten to the run's folder on the claim
        message = f"the profiler writes to {place} on the submitting machine"
        yield submitted.at(PROFILE, ("launcher", "nsys_profile"), message)
