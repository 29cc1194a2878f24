"""Tries what a sealed program may not do, one line of outcome for each."""

import ctypes
import errno
import fcntl
import mmap
import os
import signal
import socket
import sqlite3
import struct
import sys

outside, workspace, scratch, host, listening, processes = sys.argv[1:]
host, processes = int(host), int(processes)
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    """A system call by its number or name; raises as Python's own do."""
    function, *arguments = arguments
    done = libc.syscall(function, *arguments) if isinstance(function, int) else getattr(libc, function)(*arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def attempt(name, deed):
    try:
        deed()
        print(f"{name}: DONE", flush=True)
    except (OSError, MemoryError, sqlite3.Error) as error:
        code = getattr(error, "errno", None)
        print(f"{name}: refused {errno.errorcode.get(code, type(error).__name__)}", flush=True)


def writes(path):
    return lambda: open(path, "w").close()


def through_link(make, name):
    def deed():
        link = f"{scratch}/{name}"
        make(f"{outside}/file", link)
        with open(link, "w") as file:
            file.write("changed")
    return deed


def reopened():
    with open(f"{workspace}/file") as file, open(f"/proc/self/fd/{file.fileno()}", "w") as again:
        again.write("changed")


def mapped():
    with open(f"{workspace}/file", "r+b") as file:
        mmap.mmap(file.fileno(), 0)[0:1] = b"x"


def relative():
    os.chdir(outside)
    open("new", "w").close()


def by_a_file():
    readable, writable = os.pipe()
    fcntl.fcntl(readable, fcntl.F_SETOWN, host)
    fcntl.fcntl(readable, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(readable, fcntl.F_SETFL, os.O_ASYNC)
    os.write(writable, b"x")
    # Whether it came is seen by whether the other is there in the end.
    raise PermissionError(errno.EPERM, "")


# Of this machine.
IOPRIO_SET = {"x86_64": 251, "aarch64": 30, "riscv64": 30}[os.uname().machine]
LEVEL = os.environ["LEVEL"]
FORM = os.environ["FORM"]

for name, path in {
    "write outside": f"{outside}/file",
    "make outside": f"{outside}/new",
    "write /tmp": "/tmp/footplate-hostile",
    "write /etc": "/etc/footplate-hostile",
    "write home": f"{outside}/home/.bashrc",
    "write git": f"{workspace}/.git/config",
    "write venv": f"{workspace}/.venv/bin/python",
}.items():
    attempt(name, writes(path))
attempt("truncate outside", lambda: os.truncate(f"{outside}/file", 0))
attempt("open and truncate outside", lambda: os.open(f"{outside}/file", os.O_WRONLY | os.O_TRUNC))
attempt("unlink outside", lambda: os.unlink(f"{outside}/file"))
attempt("rename outside", lambda: os.rename(f"{outside}/file", f"{outside}/moved"))
attempt("take from outside", lambda: os.rename(f"{outside}/file", f"{scratch}/taken"))
attempt("put outside", lambda: (writes(f"{scratch}/mine")(), os.rename(f"{scratch}/mine", f"{outside}/mine")))
attempt("make a folder outside", lambda: os.mkdir(f"{outside}/folder"))
attempt("write through a symlink", through_link(os.symlink, "symlink"))
attempt("write through a hard link", through_link(os.link, "hardlink"))
attempt("write where it changed to", relative)
os.chdir(workspace)
attempt("rename git", lambda: os.rename(f"{workspace}/.git", f"{workspace}/git"))
attempt("write through a database", lambda: sqlite3.connect(f"{outside}/new.db").execute("create table t(a)"))
if LEVEL == "sealed":
    attempt("write the workspace", writes(f"{workspace}/file"))
    attempt("make in the workspace", writes(f"{workspace}/new"))
    attempt("write through a descriptor", reopened)
    attempt("write through memory", mapped)
    attempt("link the workspace", lambda: os.link(f"{workspace}/file", f"{scratch}/file"))
if LEVEL == "sealed" or FORM == "full":
    attempt("chmod outside", lambda: os.chmod(f"{outside}/file", 0o777))
    attempt("chmod git", lambda: os.chmod(f"{workspace}/.git/config", 0o777))
    attempt("touch outside", lambda: os.utime(f"{outside}/file", (0, 0)))
    attempt("mark outside", lambda: os.setxattr(f"{outside}/file", "user.x", b"x"))

attempt("read a secret", lambda: open(f"{outside}/home/.ssh/id").read())
attempt("read a secret through a link", lambda: (os.symlink(f"{outside}/home/.ssh/id", f"{scratch}/id"), open(f"{scratch}/id").read()))
attempt("list home", lambda: os.listdir(f"{outside}/home"))
attempt("read shadow", lambda: open("/etc/shadow").read())
for file in ("environ", "mem", "maps", "auxv"):
    attempt(f"read {file} of another", lambda: open(f"/proc/{host}/{file}", "rb").read(1))
    attempt(f"read {file} of the keeper", lambda: open(f"/proc/{os.getppid()}/{file}", "rb").read(1))
attempt("reach in by the root of another", lambda: os.listdir(f"/proc/{host}/root/"))
attempt("reach in by the folder of another", lambda: os.listdir(f"/proc/{host}/cwd/"))
if FORM == "full":
    attempt("see another", lambda: open(f"/proc/{host}/cmdline").read())

attempt("tcp", lambda: socket.create_connection(("127.0.0.1", 1)) and None)
for name, family, kind in [
    ("tcp socket", socket.AF_INET, socket.SOCK_STREAM),
    ("udp socket", socket.AF_INET, socket.SOCK_DGRAM),
    ("ipv6 socket", socket.AF_INET6, socket.SOCK_DGRAM),
    ("netlink socket", socket.AF_NETLINK, socket.SOCK_RAW),
    ("unix socket", socket.AF_UNIX, socket.SOCK_STREAM),
    ("vsock", socket.AF_VSOCK, socket.SOCK_STREAM),
]:
    attempt(name, lambda: socket.socket(family, kind))
for kind in (socket.SOCK_DGRAM, 3, socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for address in (listening, "\0" + listening):
        def send():
            pair = socket.socketpair(socket.AF_UNIX, kind)[0]
            pair.sendto(b"x", address)
        attempt(f"a pair of kind {kind} to {'an abstract' if address[0] == chr(0) else 'a'} socket", send)
        attempt("to connect one", lambda: socket.socketpair()[0].connect(address))

attempt("kill another", lambda: os.kill(host, signal.SIGTERM))
attempt("kill by descriptor", lambda: signal.pidfd_send_signal(os.pidfd_open(host), signal.SIGTERM))
attempt("trace another", lambda: call("ptrace", 16, host, 0, 0))
attempt("read memory of another", lambda: call("process_vm_readv", host, 0, 0, 0, 0, 0))
attempt("signal another by a file", by_a_file)
attempt("limit another", lambda: call("prlimit", host, 7, struct.pack("QQ", 0, 0), None))
attempt("limit who looks after it", lambda: call("prlimit", 1, 7, struct.pack("QQ", 999, 999), None))
if FORM != "full":
    # To what they are, so that no harm is done where it is let through.
    attempt("slow all down", lambda: os.setpriority(os.PRIO_USER, 0, 0))
    attempt("slow the disk of all down", lambda: call(IOPRIO_SET, 3, 0, 2 << 13 | 4))
attempt("slow another down", lambda: os.setpriority(os.PRIO_PROCESS, host, 19))
attempt("move another", lambda: os.sched_setaffinity(host, {0}))

attempt("unshare", lambda: call("unshare", 0x10000000))
attempt("clone a namespace", lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0))
attempt("clone3", lambda: call(435, 0, 0))
attempt("mount", lambda: call("mount", b"none", b"/mnt", b"tmpfs", 0, None))
attempt("chroot", lambda: os.chroot(scratch))
attempt("bpf", lambda: call(321, 0, 0, 0))
attempt("io_uring", lambda: call(425, 1, 0))
attempt("keys", lambda: call(250, 0, -3, 1))
attempt("userfaultfd", lambda: call(323, 0))
attempt("another set of calls", lambda: call(0x40000000 + 41, 2, 1, 0))
attempt("become another", lambda: os.setuid(12345))

attempt("ten gigabytes of memory", lambda: bytearray(10 << 30))


def long_file():
    with open(f"{scratch}/long", "wb") as file:
        file.truncate(10 << 30)


attempt("ten gigabytes in a file", long_file)


def bomb():
    children = []
    try:
        for _ in range(400):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


if processes:
    attempt("a fork bomb", bomb)
