"""The trainer's command and arguments: each framework, mpirun's order, and lines that run first."""

from __future__ import annotations

import itertools
import subprocess
from typing import Any

import pytest

from nvcre_render.lower.trainer import quote, wrap
from tests.manifests import EXEC, MPI, TORCH, Json, render, train_job

RSH = "-o StrictHostKeyChecking=no -o ConnectionAttempts=10"
REFERENCE = {"secretKeyRef": {"name": "s", "key": "k"}}


def line(framework: Json, arch: str = "h100", platform: str | None = None, **spec: Any) -> list[Any]:
    """Return command and args of the trainer; None stands for args that are absent."""
    trainer = train_job(render(framework, arch, platform, **spec))["trainer"]
    return [trainer["command"], trainer.get("args")]


def mpi(**fields: Any) -> Json:
    return {"mpi": {**MPI["mpi"], **fields}}


def launch(gpus: int) -> list[str]:
    return ["-N", str(gpus), "--allow-run-as-root", "--mca", "plm_rsh_args", RSH]


def exported(*operands: str) -> list[str]:
    return [word for operand in operands for word in ("-x", operand)]


DEFAULTS = exported(
    "NCCL_DEBUG=INFO",
    "NCCL_NVLS_ENABLE=1",
    "NCCL_CUMEM_ENABLE=1",
    "NCCL_NET_GDR_C2C=1",
    "NCCL_NET_GDR_LEVEL=PHB",
    "NCCL_P2P_NET_CHUNKSIZE=2097152",
    "NCCL_SHM_DISABLE=1",
    "NCCL_MNNVL_ENABLE=0",
    "NCCL_SOCKET_IFNAME=eth0",
)


# torch and exec


@pytest.mark.parametrize(
    ("framework", "command", "args"),
    [
        ({"torch": {"script": "/t.py"}}, ["torchrun"], ["/t.py"]),
        ({"torch": {"script": "/t.py", "args": ["--a", "b"]}}, ["torchrun"], ["/t.py", "--a", "b"]),
        ({"torch": {"module": "pkg.train"}}, ["torchrun"], ["-m", "pkg.train"]),
        ({"torch": {"module": "pkg.train", "args": ["-x"]}}, ["torchrun"], ["-m", "pkg.train", "-x"]),
        ({"exec": {"command": ["/bin/sh", "-c"]}}, ["/bin/sh", "-c"], None),
        ({"exec": {"command": ["/bin/sh", "-c"], "args": ["a b"]}}, ["/bin/sh", "-c"], ["a b"]),
        ({"exec": {"command": ["job"], "args": []}}, ["job"], None),
    ],
)
def test_the_line_of_torch_and_exec(framework: Json, command: list[str], args: list[str] | None) -> None:
    assert line(framework) == [command, args]


# mpi


def test_mpirun_without_anything_of_its_own() -> None:
    assert line(MPI) == [["timeout", "3600", "/bin/mpirun"], [*launch(8), *DEFAULTS, "/bin/perf"]]


def test_mpirun_takes_arguments_before_and_the_binary_after() -> None:
    framework = mpi(mpiArgs=["--tag-output", "--bind-to", "none"], args=["-b", "8", "-e", "16G"])
    own = ["--tag-output", "--bind-to", "none", "/bin/perf", "-b", "8", "-e", "16G"]
    assert line(framework)[1] == [*launch(8), *DEFAULTS, *own]


@pytest.mark.parametrize(
    ("arch", "fields", "ranks"), [("h100", {}, 8), ("gb200", {}, 4), ("h100", {"gpusPerNode": 2}, 2)]
)
def test_ranks_per_node_are_gpus_per_node(arch: str, fields: Json, ranks: int) -> None:
    trainer = train_job(render(MPI, arch, **fields))["trainer"]
    assert trainer["args"][:2] == ["-N", str(ranks)]
    assert trainer["numProcPerNode"] == ranks


def test_the_worked_example() -> None:
    env = [{"name": "NCCL_SHM_DISABLE", "value": "0"}, {"name": "TOKEN", "valueFrom": REFERENCE}]
    assert line(mpi(mpiArgs=["-x", "NCCL_DEBUG=WARN"], args=["-b", "8"]), env=env)[1] == [
        *launch(8),
        *exported("NCCL_NVLS_ENABLE=1", "NCCL_CUMEM_ENABLE=1", "NCCL_NET_GDR_C2C=1", "NCCL_NET_GDR_LEVEL=PHB"),
        *exported("NCCL_P2P_NET_CHUNKSIZE=2097152", "NCCL_MNNVL_ENABLE=0", "NCCL_SOCKET_IFNAME=eth0"),
        *exported("NCCL_SHM_DISABLE=0", "TOKEN"),
        *exported("NCCL_DEBUG=WARN"),
        *("/bin/perf", "-b", "8"),
    ]


def test_repeated_and_empty_variables_are_forwarded_as_they_stand() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "EMPTY", "value": ""}]
    assert line(MPI, env=env)[1][len(launch(8)) + len(DEFAULTS) :] == [*exported("A=1", "A=2", "EMPTY="), "/bin/perf"]


def test_only_an_option_of_its_own_counts_as_forwarded() -> None:
    arguments = line(mpi(mpiArgs=["-xNCCL_DEBUG=WARN", "--x", "NCCL_SHM_DISABLE=0", "-x"]))[1]
    assert arguments[len(launch(8)) :][: len(DEFAULTS)] == DEFAULTS


# A platform's arguments

AWS_TRANSPORT = [
    *("--mca", "orte_keep_fqdn_hostnames", "true"),
    *("--mca", "pml", "ob1"),
    *("--mca", "btl", "tcp,self"),
    *("--mca", "btl_tcp_if_include", "eth0"),
    *("--mca", "oob", "tcp"),
    *("--mca", "oob_tcp_if_include", "eth0"),
    *("--mca", "coll_ucc_enable", "0"),
    *("--mca", "coll_hcoll_enable", "0"),
    *exported("NCCL_DEBUG_SUBSYS=NET,INIT", "NCCL_SOCKET_IFNAME=eth0", "NCCL_IB_GID_INDEX=3"),
    *exported("NCCL_NVLS_ENABLE=1", "NCCL_CUMEM_ENABLE=1", "NCCL_NET_GDR_C2C=1"),
]
CLEANUP = ["rm -rf /opt/amazon", "unset NCCL_NET_PLUGIN", "unset NCCL_TUNER_PLUGIN", "unset AWS_OFI_NCCL_VERSION"]


def test_a_later_block_stands_in_front_and_the_users_arguments_last() -> None:
    assert len(AWS_TRANSPORT) == 36
    rest = exported("NCCL_DEBUG=INFO", "NCCL_NET_GDR_LEVEL=PHB", "NCCL_P2P_NET_CHUNKSIZE=2097152")
    rest += exported("NCCL_SHM_DISABLE=1", "NCCL_MNNVL_ENABLE=1")
    expected = [*launch(4), *rest, *AWS_TRANSPORT, *exported("NCCL_NET_PLUGIN=none"), "--tag-output", "/bin/perf"]
    words = ["timeout", "3600", "/bin/mpirun", *expected]
    (wrapped,) = line(mpi(mpiArgs=["--tag-output"]), "gb300", "aws")[1]
    assert wrapped.splitlines()[-1] == "exec " + " ".join(map(quote, words))


@pytest.mark.parametrize(("arch", "platform"), [("gb300", None), ("gb300", "oci"), ("b300", "aws"), ("a100", "nscale")])
def test_no_platform_or_no_matching_block_adds_nothing(arch: str, platform: str | None) -> None:
    arguments = line(MPI, arch, platform)[1]
    names = [word.partition("=")[0] for option, word in itertools.pairwise(arguments) if option == "-x"]
    assert names == [word.partition("=")[0] for word in DEFAULTS[1::2]]
    assert "timeout" in line(MPI, arch, platform)[0]


def test_the_users_environment_wins_over_a_platforms_argument_in_its_place() -> None:
    nscale = ["NCCL_SOCKET_IFNAME=eth0", "NCCL_DEBUG=INFO", "NCCL_NVLS_ENABLE=1", "NCCL_CUMEM_ENABLE=1"]
    nscale += ["NCCL_P2P_NET_CHUNKSIZE=2097152", "NCCL_MNNVL_ENABLE=0", "NCCL_IB_PCI_RELAXED_ORDERING=1"]
    nscale += ["SHARP_COLL_ENABLE_PCI_RELAXED_ORDERING=1", "OMPI_MCA_btl_openib_warn_default_gid_prefix=0"]
    nscale += ["PMIX_MCA_gds=^ds12"]
    rest = exported("NCCL_NET_GDR_C2C=1", "NCCL_NET_GDR_LEVEL=PHB", "NCCL_SHM_DISABLE=1")
    assert line(MPI, "b200", "nscale")[1] == [*launch(8), *rest, *exported(*nscale), "/bin/perf"]
    env = [{"name": "NCCL_DEBUG", "valueFrom": REFERENCE}, {"name": "PMIX_MCA_gds", "value": "hash"}]
    nscale[1], nscale[9] = "NCCL_DEBUG", "PMIX_MCA_gds=hash"
    assert line(MPI, "b200", "nscale", env=env)[1] == [*launch(8), *rest, *exported(*nscale), "/bin/perf"]


@pytest.mark.parametrize(("gpus", "level"), [(8, "SYS"), (4, "PHB"), (2, "PHB"), (1, None), (3, None)])
def test_a_platforms_argument_may_depend_on_the_number_of_gpus(gpus: int, level: str | None) -> None:
    arguments = line(MPI, "rtxpro6000", "gcp", gpusPerNode=gpus)[1]
    assert [word for word in arguments if "P2P_LEVEL" in word] == ([f"NCCL_P2P_LEVEL={level}"] if level else [])


# Lines that run first


@pytest.mark.parametrize(
    ("framework", "words"),
    [
        (TORCH, ["torchrun", "/train.py"]),
        (EXEC, ["/bin/job"]),
        (
            {"torch": {"module": "a", "args": ["it's $HOME", 'say "x"']}},
            ["torchrun", "-m", "a", "it's $HOME", 'say "x"'],
        ),
    ],
)
def test_the_command_is_wrapped_where_a_block_has_lines(framework: Json, words: list[str]) -> None:
    last = "exec " + " ".join(map(quote, words))
    assert line(framework, "gb300", "aws") == [["/bin/bash", "-c"], ["\n".join([*CLEANUP, last])]]
    assert line(framework, "gb300", "gcp")[0] != ["/bin/bash", "-c"]
    assert line(framework, "gb300")[0] != ["/bin/bash", "-c"]


def test_wrap() -> None:
    assert wrap([], (["a"], ["b"])) == (["a"], ["b"])
    assert wrap(["one", "two"], (["a"], ["b c", "d"])) == (["/bin/bash", "-c"], ['one\ntwo\nexec "a" "b c" "d"'])
    assert wrap(["one"], (["a"], [])) == (["/bin/bash", "-c"], ['one\nexec "a"'])


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("", '""'),
        ("plain", '"plain"'),
        ("two words", '"two words"'),
        ('say "x"', r'"say \"x\""'),
        ("a\\b", r'"a\\b"'),
        ("it's", '"it\'s"'),
        ("$HOME `id`", '"$HOME `id`"'),
        ("a\tb\nc\rd", r'"a\tb\nc\rd"'),
        ("\a\b\f\v", r'"\a\b\f\v"'),
        ("\x00\x1b\x7f", r'"\x00\x1b\x7f"'),
        ("\u00fc\u6f22", '"\u00fc\u6f22"'),
        ("\U0001f600", '"\U0001f600"'),
        # not printable to Go: a no-break space, a control of Latin-1, a direction mark, a private character
        ("\u00a0\u0085\u200e", r'"\u00a0\u0085\u200e"'),
        ("\U000f0000", r'"\U000f0000"'),
    ],
)
def test_a_word_is_quoted_as_go_does(word: str, quoted: str) -> None:
    assert quote(word) == quoted


@pytest.mark.parametrize(
    "word", ["plain", "two words", "it's", 'say "x"', "a\\\\b", "*", "a;b", "#", "", "-n", "\u00fc"]
)
def test_a_shell_sees_the_words_again(word: str) -> None:
    (_, (script,)) = wrap(["true"], (["printf", "%s|"], [word, "end"]))
    assert subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout == f"{word}|end|"
