"""Runs one probe in the jail, as a script of its own: `python -I inmate.py ROOT CONFIG PROBE [ARGUMENT…]`.

CONFIG is a JSON object with `layers` (names) and other fields of JailConfig. A probe is a function below that tries
something forbidden; what it returns, or the error that stopped it, is printed as one JSON line by the jailed process:
{"layers": […], "missing": {…}, "done": … or null, "error": "PermissionError" or null}. The script then prints the
wait status of the keeper. Nothing here needs JAX.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)


def nothing() -> str:
    return "ran"


def read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(64).decode("latin-1")


def list_folder(path: str) -> list[str]:
    return sorted(os.listdir(path))


def write(path: str) -> str:
    with open(path, "w") as file:
        file.write("harm")
    return path


def make_folder(path: str) -> str:
    os.mkdir(path)
    return path


def remove(path: str) -> str:
    os.unlink(path)
    return path


def rename(path: str) -> str:
    os.rename(path, path + ".renamed")
    return path


def fill_scratch_with_files() -> int:
    """Many small files, since each alone stays below the limit on a file's size."""
    written = 0
    for index in range(100_000):
        with open(f"fill{index}", "wb", buffering=0) as file:
            written += file.write(bytes(1 << 14))
    return written


def connect_tcp(port: str) -> str:
    with socket.create_connection(("127.0.0.1", int(port)), timeout=5):
        return "connected"


def bind_tcp() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return "bound"


def send_udp(port: str) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"harm", ("127.0.0.1", int(port)))


def connect_abstract(name: str) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + name)
        return "connected"


def connect_path(path: str) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        return "connected"


def signal_process(pid: str) -> str:
    os.kill(int(pid), signal.SIGKILL)
    return "sent"


def signal_by_descriptor(pid: str) -> str:
    """fcntl can make the kernel send any signal to whoever is named the owner of a pipe's events."""
    import fcntl

    reader, writer = os.pipe()
    fcntl.fcntl(reader, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(reader, fcntl.F_SETOWN, int(pid))
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writer, b"x")
    return "sent"


def attach_shared_memory(key: str) -> str:
    identifier = libc.shmget(int(key), 4096, 0)
    if identifier == -1:
        raise OSError(ctypes.get_errno(), "shmget")
    return "found"


def rename_machine(name: str) -> str:
    """Only ever called where the UTS namespace is this process's own."""
    socket.sethostname(name)
    return socket.gethostname()


def namespace(kind: str) -> str:
    return os.readlink(f"/proc/self/ns/{kind}")


def be_nicer() -> int:
    return os.nice(-1)


def identity() -> dict[str, Any]:
    with open("/proc/self/status") as file:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {name: fields[name] for name in ("Uid", "Gid", "Groups", "CapEff", "CapPrm", "CapBnd", "NoNewPrivs")}


def variables() -> dict[str, str]:
    return dict(os.environ)


def write_descriptor(number: str) -> int:
    return os.write(int(number), b"harm")


def open_descriptors() -> list[int]:
    found = []
    for number in range(256):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found


def standard_input() -> str:
    return os.read(0, 10).decode()


def system_calls(*texts: str) -> dict[str, str]:
    """For each "name argument …": the name of the errno that this raw system call ends in, or "success"."""
    import errno

    from grader.tracer.jail.kernel import number

    answers = {}
    for text in texts:
        name, *arguments = text.split()
        result = libc.syscall(ctypes.c_long(number(name)), *(ctypes.c_long(int(each, 0)) for each in arguments))
        answers[text] = "success" if result != -1 else errno.errorcode[ctypes.get_errno()]
    return answers


def machine_code(code: str) -> int:
    """Run a few bytes of machine code: the way to another architecture's entry into the kernel."""
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(bytes.fromhex(code))
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return int(ctypes.CFUNCTYPE(ctypes.c_int)(address)())


def fork() -> str:
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    return "forked"


def execute() -> str:
    if os.posix_spawn("/bin/true", ["true"], {}) > 0:
        _, status = os.wait()
        if status:
            raise OSError(f"status {status}")
    return "executed"


def leave_a_daemon() -> str:
    """A grandchild in a session of its own, which would outlive everything if it could."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(1)
            os.close(2)
            time.sleep(60)
        os._exit(0)
    os.wait()
    return "left"


def threads(count: str) -> int:
    stop = threading.Event()
    started = 0
    try:
        for _ in range(int(count)):
            threading.Thread(target=stop.wait, daemon=True).start()
            started += 1
    finally:
        stop.set()
    return started


def processes(count: str) -> int:
    """At most `count` children that wait to be killed; how many there could be."""
    children = []
    try:
        for _ in range(int(count)):
            child = os.fork()
            if child == 0:
                time.sleep(30)
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return len(children)


def spin() -> str:
    while True:
        pass


def reserve(size: str) -> int:
    return len(mmap.mmap(-1, int(size)))


def open_files(count: str) -> int:
    return len([os.open("/dev/null", os.O_RDONLY) for _ in range(int(count))])


def big_file(path: str, size: str) -> int:
    with open(path, "wb") as file:
        return file.truncate(int(size))


def end_by(number: str) -> str:
    os.kill(os.getpid(), int(number))
    return "alive"


def leave_with(status: str) -> str:
    os._exit(int(status))


def hold(megabytes: str) -> str:
    """Hold memory in this process until killed. Says so on descriptor 1 first."""
    data = bytearray(int(megabytes) << 20)
    data[:: mmap.PAGESIZE] = b"x" * len(data[:: mmap.PAGESIZE])
    os.write(1, b"holding\n")
    time.sleep(60)
    return "woke"


def hold_shared(megabytes: str) -> str:
    """Hold memory that several processes could share, which no counter of private memory shows."""
    memory = mmap.mmap(-1, int(megabytes) << 20)
    memory.write(b"x" * len(memory))
    os.write(1, b"holding\n")
    time.sleep(60)
    return "woke"


def hold_in_a_child(megabytes: str) -> str:
    """Hold memory in a child's child, in a session of its own."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            hold(megabytes)
        time.sleep(60)
    time.sleep(60)
    return "woke"


def wait_with_children() -> str:
    """Wait with a child and a thread, so that a test can see whether all of it dies."""
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    os.write(1, b"waiting\n")
    time.sleep(60)
    return "woke"


def numerical_work() -> list[Any]:
    """Threads, files, time, randomness, temporary files: what honest code does."""
    import random
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(b"scratch")
        file.seek(0)
        content = file.read().decode()
    return [content, threads("8"), random.SystemRandom().random() < 1, time.time() > 0, os.cpu_count() is not None]


def forbid(names: list[str], answer: int) -> None:
    """What a container or an older kernel does: these system calls end in the errno `answer`, from here on."""
    import struct

    from grader.tracer.jail.kernel import number, prctl
    from grader.tracer.jail.seccomp import install_program

    prctl(38, 1)
    program = [(0x20, 0, 0, 0)]
    for name in names:
        program += [(0x15, 0, 1, number(name)), (0x06, 0, 0, 0x00050000 | answer)]
    program.append((0x06, 0, 0, 0x7FFF0000))
    install_program(b"".join(struct.pack("<HBBI", *each) for each in program))


def main(root: str, config_text: str, probe_name: str, *arguments: str) -> None:
    sys.path.insert(0, root)
    from grader.tracer.jail import JailConfig, Layers, confine

    fields = json.loads(config_text)
    if "forbidden" in fields:
        forbid(*fields.pop("forbidden"))
    for name in ("layers", "require"):
        if name in fields:
            fields[name] = frozenset(fields[name])
    config = JailConfig(**{name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()})
    probe: Callable[..., Any] = globals()[probe_name]

    def report(layers: Layers, done: Any, error: str | None) -> None:
        missing = {each.name: each.why for each in layers.missing}
        line = {"layers": layers.in_force, "missing": missing, "done": done, "error": error}
        os.write(1, (json.dumps(line) + "\n").encode())

    def then(layers: Layers) -> None:
        done, error = None, None
        try:
            done = probe(*arguments)
        except BaseException as raised:
            error = f"{type(raised).__name__}: {raised}"
        report(layers, done, error)

    keeper = os.fork()
    if keeper == 0:
        confine(config, then, lambda layers: report(layers, None, "refused"))
    os.write(1, f'{{"keeper": {keeper}}}\n'.encode())
    _, status = os.waitpid(keeper, 0)
    os.write(1, f'{{"status": {status}}}\n'.encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
