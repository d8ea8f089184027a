"""Each layer alone stops its harm, and without it the same probe succeeds: so none of these tests can pass for
another layer's sake, and each fails when its layer is taken away."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.tracer.jail import LAYERS, layers, seccomp
from grader.tracer.jail.namespaces import NOBODY
from grader.tracer.jail.syscalls import NEWEST, NUMBERS
from tests.jail.conftest import Probe

ROOT_USER = os.geteuid() == 0
# Where Python lies in a folder that is closed to others (root's home), root can step down only in a view of its own.
STEP_DOWN = [layers.PRIVILEGES, layers.USER, layers.MOUNT]
needs_root = pytest.mark.skipif(not ROOT_USER, reason="without the layer, only root can do this")


@contextmanager
def listening(family: int, kind: int, address: object) -> Iterator[socket.socket]:
    with socket.socket(family, kind) as listener:
        listener.bind(address)  # type: ignore[arg-type]
        if kind == socket.SOCK_STREAM:
            listener.listen()
        yield listener


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the same user, outside."""
    process = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(60)"], stdin=subprocess.DEVNULL)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that any user of this machine may read."""
    path = tmp_path / "secret"
    path.write_text("expected")
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    return path


@pytest.fixture
def open_folder(tmp_path: Path, secret: Path) -> Path:
    """A folder that any user of this machine may write to."""
    path = tmp_path / "open"
    path.mkdir()
    path.chmod(0o777)
    return path


FILE_LAYERS = [layers.MOUNT, layers.LANDLOCK_FILES]


@pytest.mark.parametrize("layer", FILE_LAYERS)
def test_a_file_outside_cannot_be_read(probe: Probe, layer: str, secret: Path) -> None:
    assert probe("read", secret, layers=[]).done == "expected"
    assert probe("read", secret, layers=[layer]).stopped


@pytest.mark.parametrize("layer", FILE_LAYERS)
def test_a_folder_outside_cannot_be_listed(probe: Probe, layer: str, secret: Path) -> None:
    assert "secret" in probe("list_folder", secret.parent, layers=[]).done
    assert probe("list_folder", secret.parent, layers=[layer]).stopped


@pytest.mark.parametrize("layer", FILE_LAYERS)
@pytest.mark.parametrize("name", ["harm.txt", "conftest.py", "sitecustomize.py", "evil.pth", "__pycache__"])
def test_no_file_can_be_planted(probe: Probe, layer: str, open_folder: Path, name: str) -> None:
    assert probe("write", open_folder / name, layers=[]).done
    (open_folder / name).unlink()
    assert probe("write", open_folder / name, layers=[layer]).stopped
    assert not (open_folder / name).exists()


@pytest.mark.parametrize("layer", FILE_LAYERS)
def test_the_installation_can_be_read_and_not_changed(probe: Probe, layer: str) -> None:
    assert probe("read", os.__file__, layers=[layer]).done
    planted = Path(os.__file__).parent / "planted_by_a_test.pth"
    assert probe("write", planted, layers=[layer]).stopped
    assert not planted.exists()


@pytest.mark.parametrize("layer", FILE_LAYERS)
@pytest.mark.parametrize(
    "path", ["/etc/shadow", "/etc/passwd", "/proc/self/environ", "/proc/self/maps", "/proc/1/cmdline"]
)
def test_the_system_s_own_secrets_are_closed(probe: Probe, layer: str, path: str) -> None:
    if os.access(path, os.R_OK):
        assert probe("read", path, layers=[]).done is not None
    assert probe("read", path, layers=[layer]).stopped


@pytest.mark.parametrize("layer", FILE_LAYERS)
def test_a_hidden_folder_inside_a_readable_one_is_closed(
    probe: Probe, layer: str, tmp_path: Path, secret: Path
) -> None:
    hidden = tmp_path / "package" / "problems"
    hidden.mkdir(parents=True)
    (hidden / "oracle.py").write_text("answers")
    (tmp_path / "package" / "open.py").write_text("open")
    config = {"readable": [str(tmp_path)], "hidden": [str(hidden)]}
    assert probe("read", hidden / "oracle.py", layers=[layer], **(config | {"hidden": []})).done == "answers"
    assert probe("read", hidden / "oracle.py", layers=[layer], **config).stopped
    assert probe("read", tmp_path / "package" / "open.py", layers=[layer], **config).done == "open"
    assert probe("list_folder", tmp_path / "package", layers=[layer], **config).done


def test_the_judge_itself_cannot_be_read(probe: Probe) -> None:
    for file in ("grader/problem.py", "cases", "solution"):
        path = Path(layers.__file__).parents[3] / file
        assert probe("read" if path.is_file() else "list_folder", path, layers=[layers.LANDLOCK_FILES]).stopped
        assert probe("read" if path.is_file() else "list_folder", path, layers=[layers.MOUNT]).stopped


def test_the_scratch_folder_is_private_and_vanishes(probe: Probe) -> None:
    assert probe("write", "/tmp/left_by_a_probe", layers=[layers.MOUNT]).done
    assert not Path("/tmp/left_by_a_probe").exists()
    assert probe("write", "/tmp/left_by_a_probe", layers=LAYERS).done
    assert probe("read", "/tmp/left_by_a_probe", layers=LAYERS).stopped


def test_the_scratch_folder_is_bounded(probe: Probe) -> None:
    outcome = probe("fill_scratch_with_files", layers=[layers.MOUNT], scratch_bytes=1 << 20)
    assert outcome.stopped
    assert "No space left" in str(outcome.error)


def test_without_scratch_nothing_is_writable(probe: Probe) -> None:
    assert probe("write", "/tmp/file", layers=[layers.MOUNT], scratch_bytes=0).stopped
    assert probe("write", "/tmp/file", layers=[layers.LANDLOCK_FILES], scratch_bytes=0).stopped
    assert not Path("/tmp/file").exists()


@pytest.mark.parametrize("layer", [layers.NETWORK, layers.LANDLOCK_NETWORK, layers.SECCOMP])
def test_no_tcp(probe: Probe, layer: str) -> None:
    with listening(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert probe("connect_tcp", port, layers=[]).done == "connected"
        listener.accept()[0].close()
        assert probe("connect_tcp", port, layers=[layer]).stopped
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_no_tcp_server(probe: Probe) -> None:
    assert probe("bind_tcp", layers=[]).done == "bound"
    assert probe("bind_tcp", layers=[layers.LANDLOCK_NETWORK]).stopped
    assert probe("bind_tcp", layers=[layers.SECCOMP]).stopped


@pytest.mark.parametrize("layer", [layers.NETWORK, layers.SECCOMP])
def test_no_udp(probe: Probe, layer: str) -> None:
    with listening(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert probe("send_udp", port, layers=[]).done == 4
        assert listener.recv(10) == b"harm"
        assert probe("send_udp", port, layers=[layer]).stopped
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.recv(10)


@pytest.mark.parametrize("layer", [layers.NETWORK, layers.LANDLOCK_SCOPES, layers.SECCOMP])
def test_no_abstract_socket(probe: Probe, layer: str) -> None:
    name = f"grader-test-{os.getpid()}"
    with listening(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + name):
        assert probe("connect_abstract", name, layers=[]).done == "connected"
        assert probe("connect_abstract", name, layers=[layer]).stopped


@pytest.mark.parametrize("layer", [layers.MOUNT, layers.SECCOMP])
def test_no_socket_file(probe: Probe, layer: str, open_folder: Path) -> None:
    path = str(open_folder / "s")
    with listening(socket.AF_UNIX, socket.SOCK_STREAM, path):
        os.chmod(path, 0o777)
        assert probe("connect_path", path, layers=[]).done == "connected"
        assert probe("connect_path", path, layers=[layer]).stopped


@pytest.mark.parametrize("attack", ["signal_process", "signal_by_descriptor"])
@pytest.mark.parametrize("layer", [layers.PID, layers.LANDLOCK_SCOPES, layers.SECCOMP])
def test_no_signal_to_a_process_outside(probe: Probe, layer: str, attack: str, victim: subprocess.Popen[bytes]) -> None:
    probe(attack, victim.pid, layers=[layer])
    with pytest.raises(subprocess.TimeoutExpired):
        victim.wait(0.2)
    assert probe(attack, victim.pid, layers=[]).done == "sent"
    assert victim.wait(10) == -signal.SIGKILL


def test_shared_memory_of_others_is_out_of_reach(probe: Probe) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    key = 0x67000000 + os.getpid()
    identifier = libc.shmget(key, 4096, 0o1000 | 0o666)
    assert identifier != -1
    try:
        assert probe("attach_shared_memory", key, layers=[]).done == "found"
        assert probe("attach_shared_memory", key, layers=[layers.IPC]).stopped
        assert probe("attach_shared_memory", key, layers=[layers.SECCOMP]).stopped
    finally:
        libc.shmctl(identifier, 0, None)


@pytest.mark.parametrize(
    ("kind", "layer"),
    [
        ("user", layers.USER),
        ("net", layers.NETWORK),
        ("ipc", layers.IPC),
        ("uts", layers.UTS),
        ("pid", layers.PID),
    ],
)
def test_the_namespace_is_its_own(probe: Probe, kind: str, layer: str) -> None:
    outside = os.readlink(f"/proc/self/ns/{kind}")
    assert probe("namespace", kind, layers=[]).done == outside
    inside = probe("namespace", kind, layers=[layer]).done
    assert inside
    assert inside != outside


def test_the_machine_keeps_its_name(probe: Probe) -> None:
    name = socket.gethostname()
    assert probe("rename_machine", "renamed", layers=[layers.UTS]).done == "renamed"
    assert socket.gethostname() == name
    assert probe("rename_machine", "renamed", layers=LAYERS).stopped


@needs_root
def test_the_user_namespace_takes_root_s_powers(probe: Probe) -> None:
    assert probe("be_nicer", layers=[]).done is not None
    assert probe("be_nicer", layers=[layers.USER]).stopped


def test_privileges_are_gone(probe: Probe) -> None:
    before = probe("identity", layers=[]).done
    assert before["NoNewPrivs"] == "0"
    after = probe("identity", layers=STEP_DOWN, readable=["/proc"]).done
    assert after["NoNewPrivs"] == "1"
    assert int(after["CapEff"], 16) == int(after["CapPrm"], 16) == 0
    if ROOT_USER:
        assert set(after["Uid"].split()) == {str(NOBODY)}
        assert not after["Groups"].strip()


def test_only_named_descriptors_are_inherited(probe: Probe) -> None:
    reader, writer = os.pipe()
    try:
        assert probe("write_descriptor", writer, layers=[], pass_fds=(writer,)).done == 4
        assert os.read(reader, 10) == b"harm"
        assert probe("write_descriptor", writer, layers=[layers.DESCRIPTORS], pass_fds=(writer,)).stopped
        assert probe("open_descriptors", layers=LAYERS, pass_fds=(writer,)).done == [0, 1, 2]
        kept = probe("open_descriptors", layers=LAYERS, pass_fds=(writer,), keep=[writer])
        assert kept.done == [0, 1, 2, writer]
        assert probe("standard_input", layers=LAYERS).done == ""
    finally:
        os.close(reader)
        os.close(writer)


def test_the_environment_is_an_allow_list(probe: Probe) -> None:
    assert "A_SECRET" in probe("variables", layers=[]).done
    inside = probe("variables", layers=[layers.ENVIRONMENT]).done
    assert "A_SECRET" not in inside
    assert inside["PYTHONDONTWRITEBYTECODE"] == "1"
    assert probe("variables", layers=LAYERS).done["HOME"] == "/tmp"


# A system call, and arguments with which the kernel would do nothing, or nothing that matters.
HARMLESS_CALLS = [
    "ptrace 0 0 0 0",
    "process_vm_readv 1 0 0 0 0 0",
    "process_vm_writev 1 0 0 0 0 0",
    "pidfd_open 1 0",
    "pidfd_getfd -1 0 0",
    "pidfd_send_signal -1 0 0 0",
    "process_madvise -1 0 0 0 0",
    "kcmp 1 1 9 0 0",
    "io_uring_setup 1 0",
    "io_setup 1 0",
    "bpf 0 0 0",
    "userfaultfd 0x7fffffff",
    "keyctl 0 -1 0 0 0",
    "add_key 0 0 0 0 0",
    "request_key 0 0 0 0",
    "perf_event_open 0 0 -1 -1 0",
    "unshare 0",
    "setns -1 0",
    "mount 0 0 0 0 0",
    "umount2 0 0",
    "pivot_root 0 0",
    "chroot 0",
    "open_tree -1 0 0",
    "move_mount -1 0 -1 0 0",
    "fsopen 0 0",
    "mount_setattr -1 0 0 0 0",
    "socket 1 1 0",
    "socket 40 1 0",
    "socket 16 3 0",
    "socket 17 3 0",
    "socketpair 1 1 0 0",
    "connect -1 0 0",
    "memfd_create 0 0",
    "shmget 0 4096 0",
    "msgget 0 0",
    "semget 0 1 0",
    "mq_open 0 0 0 0",
    "inotify_init1 0x7fffffff",
    "fchmodat -1 0 0",
    "fchownat -1 0 0 0 0",
    "utimensat -1 0 0 0",
    "fsetxattr -1 0 0 0 0",
    "fremovexattr -1 0",
    "mknodat -1 0 0 0",
    "personality 0xffffffff",
    "ioctl -1 0x5412 0",
    "ioctl -1 0x541c 0",
    "fcntl -1 8 1",
    "fcntl -1 10 9",
    "prctl 1 0 0 0 0",
    "prctl 4 0 0 0 0",
    "prlimit64 1 7 0 0",
    "setuid -1",
    "setpgid 0 0",
    "setpriority 0 0 19",
    "sched_setaffinity 0 0 0",
    "splice -1 0 -1 0 0 0",
    "vmsplice -1 0 0 0",
    "execveat -1 0 0 0 0",
    "name_to_handle_at -1 0 0 0 0",
    "syslog 10 0 0",
    "quotactl 0 0 0 0",
    "acct -1",
    "kexec_load 0 0 0 0xffff",
    "init_module 0 0 0",
    "swapon -1 0",
    "sync_file_range -1 0 0 0",
    "clock_settime 0 0",
    "clone 0x10000011 0 0 0 0",
    "landlock_create_ruleset 0 0 1",
    "seccomp 2 0 0",
]


def test_the_system_calls_left_open_are_denied(probe: Probe) -> None:
    denied = probe("system_calls", *HARMLESS_CALLS, layers=[layers.SECCOMP]).done
    assert {text: answer for text, answer in denied.items() if answer != "EPERM"} == {}


@needs_root
def test_without_the_filter_they_are_not_denied(probe: Probe) -> None:
    free = [text for text in HARMLESS_CALLS if not text.startswith(("clone", "kexec_load", "init_module"))]
    answers = probe("system_calls", *free, layers=[]).done
    # The kernel itself says EPERM to a few; those show nothing about the filter.
    assert len([text for text, answer in answers.items() if answer == "EPERM"]) <= 4, answers


def test_without_scratch_the_filter_refuses_to_write(probe: Probe, open_folder: Path) -> None:
    """So a machine with neither namespaces nor Landlock keeps its files as they are, though they can be read."""
    old = open_folder / "old"
    old.write_text("old")
    old.chmod(0o666)
    for attack in ("write", "make_folder", "remove", "rename"):
        assert probe(attack, old if attack != "make_folder" else f"{old}er", layers=[layers.SECCOMP]).stopped
        assert probe(attack, old if attack != "make_folder" else f"{old}er", layers=[]).done
        old.write_text("old")
    assert probe("read", old, layers=[layers.SECCOMP]).done == "old"
    assert probe("system_calls", "openat2 -1 0 0 0", layers=[layers.SECCOMP]).done == {"openat2 -1 0 0 0": "ENOSYS"}


@pytest.mark.parametrize("name", ["x86_64", "aarch64"])
@pytest.mark.parametrize("writing", [True, False])
def test_the_filter_decides_as_it_says(name: str, writing: bool) -> None:
    """The program is run here, call by call, so both machines' filters are tested on either."""
    program = seccomp.filter_program(name, 7, writing)
    numbers = NUMBERS[name]

    def decide(number: int, *arguments: int, architecture: int = seccomp.ARCHITECTURE[name]) -> str:
        return run_filter(program, architecture, number, arguments)

    free = seccomp.ALLOWED | (seccomp.WRITING if writing else frozenset())
    for call, number in numbers.items():
        if call in free:
            assert decide(number) == "allow", call
        elif call not in seccomp.checked(7, writing) and call not in ("clone3", "openat2"):
            assert decide(number) == "EPERM", call
    assert decide(numbers["read"], architecture=0x40000003) == "kill"
    assert decide(NEWEST + 1) == decide(numbers["clone3"]) == "ENOSYS"
    if name == "x86_64":
        assert decide(0x40000000 + numbers["read"]) == "kill"
    assert decide(numbers["clone"], 0x3D0F00) == "allow"  # what pthread_create passes
    assert decide(numbers["clone"], 0x1200011) == "EPERM"  # what fork passes
    assert decide(numbers["clone"], 0x3D0F00 | 0x10000000) == "EPERM"  # a user namespace
    assert decide(numbers["kill"], 7, 9) == "allow"
    assert (
        decide(numbers["kill"], 8, 9)
        == decide(numbers["kill"], 2**32 - 1, 9)
        == decide(numbers["kill"], 0, 9)
        == "EPERM"
    )
    assert decide(numbers["ioctl"], 0, 0x5401) == "allow"
    assert decide(numbers["ioctl"], 0, 0x5412) == decide(numbers["ioctl"], 0, 0x5412 | 1 << 32) == "EPERM"
    assert decide(numbers["openat"], 0, 0, os.O_RDONLY | os.O_CLOEXEC) == "allow"
    assert decide(numbers["openat"], 0, 0, os.O_RDWR) == ("allow" if writing else "EPERM")
    assert decide(numbers["openat2"]) == ("allow" if writing else "ENOSYS")


def run_filter(program: bytes, architecture: int, number: int, arguments: tuple[int, ...]) -> str:
    """What the kernel would make of a system call: a BPF machine of the six instructions that the filter uses."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(*arguments, *[0] * 6)[:6])
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator, position = 0, 0
    while True:
        code, when_true, when_false, value = instructions[position]
        position += 1
        if code == 0x20:
            [accumulator] = struct.unpack_from("<I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code in (0x15, 0x35):
            holds = accumulator == value if code == 0x15 else accumulator >= value
            position += when_true if holds else when_false
        elif code == 0x06:
            kind, detail = value & 0xFFFF0000, value & 0xFFFF
            return {0x7FFF0000: "allow", 0x80000000: "kill"}.get(kind) or errno.errorcode[detail]
        else:
            raise AssertionError(f"an instruction that the filter does not use: {code:#x}")


def test_newer_calls_are_unknown(probe: Probe) -> None:
    """ENOSYS, not EPERM: the C library then falls back to calls that the filter can look into."""
    assert probe("system_calls", "clone3 0 0", layers=[layers.SECCOMP]).done == {"clone3 0 0": "ENOSYS"}
    assert probe("system_calls", "clone3 0 0", layers=[]).done == {"clone3 0 0": "EINVAL"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x86 entry points")
@pytest.mark.parametrize(
    "code",
    [
        pytest.param("b814000000cd80c3", id="int-0x80-getpid"),
        pytest.param("b8270000400f05c3", id="x32-getpid"),
    ],
)
def test_another_architecture_s_entry_is_death(probe: Probe, code: str) -> None:
    assert probe("machine_code", code, layers=[]).done is not None
    outcome = probe("machine_code", code, layers=[layers.SECCOMP])
    assert outcome.stopped
    assert outcome.status & 0x7F == signal.SIGSYS


@pytest.mark.parametrize("attack", ["fork", "execute"])
def test_no_process_is_started(probe: Probe, attack: str) -> None:
    assert probe(attack, layers=[]).done
    assert probe(attack, layers=[layers.SECCOMP]).stopped


def test_nothing_is_executed_under_landlock(probe: Probe) -> None:
    assert probe("execute", layers=[layers.LANDLOCK_FILES]).stopped


def test_limits(probe: Probe, open_folder: Path) -> None:
    on = [layers.LIMITS]
    assert probe("reserve", 8 << 30, layers=[]).done
    assert probe("reserve", 8 << 30, layers=on).stopped
    assert probe("reserve", 1 << 30, layers=on).done
    assert probe("open_files", 300, layers=[]).done == 300
    assert probe("open_files", 300, layers=on).stopped
    assert probe("big_file", open_folder / "big", 1 << 30, layers=[]).done
    assert probe("big_file", open_folder / "big", 1 << 30, layers=on).stopped


def test_processor_time_is_limited(probe: Probe) -> None:
    assert probe("spin", layers=[layers.LIMITS], cpu_seconds=1).status & 0x7F == signal.SIGXCPU


def test_threads_and_processes_are_limited(probe: Probe) -> None:
    """The limit does not hold for the machine's root, so the step down belongs to it."""
    on = [layers.LIMITS, *STEP_DOWN]
    assert probe("threads", 100, layers=[], processes=50).done == 100
    assert probe("threads", 100, layers=on, processes=50).stopped
    assert probe("threads", 40, layers=on, processes=50).done == 40
    assert probe("processes", 100, layers=on, processes=50).stopped


def test_everything_together_lets_honest_code_run(probe: Probe) -> None:
    outcome = probe("numerical_work", layers=LAYERS)
    assert outcome.done == ["scratch", 8, True, True, True], outcome
    assert outcome.status == 0
