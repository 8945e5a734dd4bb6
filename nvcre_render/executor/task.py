"""A task's command: the script, its launcher, the profiler, and NeMo-Run's macros. (NeMo-Run KubeflowExecutor)"""

from __future__ import annotations

from string import Template

from nvcre_render.executor import launcher, names
from nvcre_render.executor.settings import defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nvcre_render.executor.settings import Settings
    from nvcre_render.model.executor import KubeflowExecutor, Script

SCRIPTS = "/nemo_run/scripts"
UNKNOWN_FOLDER = "@job_dir"  # stands for the run's local folder, which only NeMo-Run knows
MACROS = {
    "head_node_ip_var": "PET_MASTER_ADDR",
    "het_group_host_var": "PET_MASTER_ADDR",
    "node_rank_var": "PET_NODE_RANK",
    "num_nodes_var": "PET_NNODES",
    "nproc_per_node_var": "PET_NPROC_PER_NODE",
    "ft_launcher_cfg_path_var": "FAULT_TOL_CFG_PATH",
}


def script(values: KubeflowExecutor) -> Script:
    """Return the script of a task, defaults filled in."""
    return {**defaults("Script"), **values["task"]}  # type: ignore[typeddict-item]


def name(settings: Settings) -> str:
    """Return the task's name; with a ready command the name it was launched under, empty when there is none."""
    given = settings.values.get("job_name", "")
    return given or names.task_name(script(settings.values)) if settings.is_task else given


def folder(settings: Settings) -> str:
    """Return the run's local folder as NeMo-Run would use it, without trailing slashes.

    A task always has one; a ready command has the one that is given, and the empty path otherwise.
    """
    given = settings.values["job_dir"]
    return (given or UNKNOWN_FOLDER if settings.is_task else given).rstrip("/")


def command(settings: Settings) -> list[str]:
    """Return the words that run the task, macros replaced in all but the first."""
    values = settings.values
    if launcher.is_distributed(values["launcher"]):
        words = launcher.distributed(values, _target(settings), script(values)["args"])
    else:
        words = _plain(settings)
    options = launcher.options(values["launcher"])
    if options["nsys_profile"]:
        words = launcher.profiled(words, options, folder(settings))
    return [words[0], *map(expand, words[1:])]


def inline_file(settings: Settings) -> str:
    """Return the file name of an inline script's text: the last part of the task's name."""
    return f"{name(settings).rpartition('/')[2]}.sh"


def inline_path(settings: Settings) -> str:
    """Return where the pods find the text of an inline script."""
    return f"{SCRIPTS}/{inline_file(settings)}"


def _plain(settings: Settings) -> list[str]:
    """Return the words without a launcher; the arguments of an inline script are not among them."""
    given = script(settings.values)
    if given["inline"]:
        return [given["entrypoint"], inline_path(settings)]
    module = ["-m"] if given["m"] else []
    return [given["entrypoint"], *module, given["path"], *given["args"]]


def _target(settings: Settings) -> list[str]:
    """Return what the launcher starts; any entrypoint but exactly python makes it start the file itself."""
    given = script(settings.values)
    if given["m"]:
        return ["-m", given["path"]]
    file = inline_path(settings) if given["inline"] else given["path"]
    return [file] if given["entrypoint"] == "python" else ["--no-python", file]


def expand(word: str) -> str:
    """Return a word with NeMo-Run's macros replaced and `$$` made `$`; any other `$` stays.

    >>> expand("--rank=${node_rank_var}"), expand("$$${node_rank_var}"), expand("$HOME")
    ('--rank=PET_NODE_RANK', '$PET_NODE_RANK', '$HOME')
    """
    return Template(word).safe_substitute(MACROS)
