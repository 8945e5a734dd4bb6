"""The command `nvcre-render`: picks the command module, and turns interruptions into exit codes."""

from __future__ import annotations

import gc
import os
import sys

from nvcre_render.cli.status import BROKEN_PIPE, FINE, INTERRUPTED, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

COMMANDS = {
    "render": "WorkloadRun in, the exact Workflow out",
    "validate": "every mistake of a manifest, with place, reason and remedy",
    "explain": "what a rule flags, why, and what to write instead",
    "plan": "which nodes form which groups, and the Jobs that come of them",
    "trainjob": "NeMo-Run KubeflowExecutor settings in, the TrainJob and its companions out",
    "matrix": "one manifest for every platform and architecture that changes anything",
    "platforms": "the platform and hardware tables",
    "schema": "the JSON Schema of manifests, for editors",
}

_HELP = """\
usage: nvcre-render COMMAND [OPTION ...]

Compiles NVCRE WorkloadRun manifests into what reaches the cluster, without a cluster.

commands:
{commands}

nvcre-render COMMAND --help explains a command, with an example.
Data goes to stdout, findings to stderr. Exit status: 0 fine, 1 findings or refusal, 2 wrong usage.
"""


def process() -> NoReturn:
    """Run as the whole process: the console script.

    A render makes no garbage worth collecting and nothing that needs a destructor, so the collector rests and
    the interpreter is left without its teardown; together they would take a sixth of the time.
    """
    gc.set_threshold(1_000_000)
    status = main()
    sys.stderr.flush()
    os._exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's arguments) and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _dispatch(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; keep the interpreter from complaining when it flushes on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return status


def _dispatch(arguments: list[str]) -> int:
    name = arguments[0] if arguments else ""
    if name in ("-h", "--help", "help"):
        sys.stdout.write(_help())
        return FINE
    if name in ("-V", "--version"):
        from nvcre_render.version import __version__

        sys.stdout.write(f"nvcre-render {__version__}\n")
        return FINE
    if name in COMMANDS:
        # Only the module of the command asked for is loaded, each being named for its command.
        command = __import__(f"nvcre_render.cli.{name}", fromlist=("run",))
        status: int = command.run(arguments[1:])
        return status
    return _unknown(name)


def _help() -> str:
    width = max(map(len, COMMANDS))
    return _HELP.format(commands="\n".join(f"  {name:{width}}  {text}" for name, text in COMMANDS.items()))


def _unknown(name: str) -> int:
    if not name:
        sys.stderr.write(_help())
        return USAGE
    from nvcre_render.checks.spelling import suggestion

    near = suggestion(name, COMMANDS)
    hint = f"did you mean {near}?" if near else f"the commands are {', '.join(COMMANDS)}"
    sys.stderr.write(f'nvcre-render: "{name}" is not a command; {hint}\n')
    return USAGE
