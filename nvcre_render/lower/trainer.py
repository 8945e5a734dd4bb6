"""The trainer's command and arguments. (NVCRE guide, frameworks and platform arguments.)"""

from __future__ import annotations

from nvcre_render.lower import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nvcre_render.facts import Facts
    from nvcre_render.model.core import EnvVar
    from nvcre_render.model.workloadrun import Framework, Mpi, Torch

    CommandLine = tuple[list[str], list[str]]

MPI_TIMEOUT = "3600"  # seconds an mpirun may take
_ASCII, _BMP = 0x80, 0x10000
_RSH = "-o StrictHostKeyChecking=no -o ConnectionAttempts=10"
_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
}  # fmt: skip


def command_line(framework: Framework, facts: Facts, env: list[EnvVar], platform_args: list[str]) -> CommandLine:
    """Return the trainer's command and args; `env` is the merged environment, forwarded to mpi ranks."""
    if facts.framework == "torch":
        return _torchrun(framework["torch"])
    if facts.framework == "mpi":
        return _mpirun(framework["mpi"], facts.gpus_per_node, env, platform_args)
    return framework["exec"]["command"], framework["exec"].get("args", [])


def _torchrun(torch: Torch) -> CommandLine:
    program = ["-m", torch["module"]] if torch.get("module") else [torch["script"]]
    return ["torchrun"], program + torch.get("args", [])


def _mpirun(mpi: Mpi, ranks: int, env: list[EnvVar], platform_args: list[str]) -> CommandLine:
    own = platform_args + mpi.get("mpiArgs", [])
    launch = ["-N", str(ranks), "--allow-run-as-root", "--mca", "plm_rsh_args", _RSH]
    arguments = launch + environment.forward(env, own) + own + [mpi["binary"]] + mpi.get("args", [])
    return ["timeout", MPI_TIMEOUT, mpi["mpirunPath"]], arguments


def wrap(pre_command: list[str], line: CommandLine) -> CommandLine:
    """Return a command that runs the shell lines `pre_command` first, then becomes the former command."""
    command, arguments = line
    if not pre_command:
        return line
    last = "exec " + " ".join(map(quote, command + arguments))
    return ["/bin/bash", "-c"], ["\n".join([*pre_command, last])]


def quote(word: str) -> str:
    r"""Return `word` in double quotes with Go's escapes; a `$` stays live for the shell.

    >>> print(quote('a "b" $HOME'))
    "a \"b\" $HOME"
    """
    return '"' + "".join(_ESCAPES.get(character) or _visible(character) for character in word) + '"'


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < _ASCII:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < _BMP else f"\\U{code:08x}"
