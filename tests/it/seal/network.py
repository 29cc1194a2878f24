"""Tries what leads out of a program, one line of outcome for each."""

import ctypes
import errno
import fcntl
import os
import socket
import struct
import sys

port, listening = int(sys.argv[1]), sys.argv[2]


def attempt(name, deed):
    try:
        deed()
        print(f"{name}: DONE", flush=True)
    except OSError as error:
        print(f"{name}: refused {errno.errorcode.get(error.errno, error.errno)}", flush=True)


def talks():
    with socket.create_connection(("127.0.0.1", port), timeout=300) as to:
        to.sendall(b"hello")


def listens():
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        own.listen()


def renames_an_interface():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        fcntl.ioctl(own, 0x8914, struct.pack("16sH14x", b"lo", 0))


def enters_a_network():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(os.open("/proc/self/ns/net", os.O_RDONLY), 0) < 0:
        raise OSError(ctypes.get_errno(), "setns")


def opens(*of):
    return lambda: socket.socket(*of).close()


attempt("tcp", talks)
attempt("listen", listens)
attempt("udp", opens(socket.AF_INET, socket.SOCK_DGRAM))
attempt("tcp by its number", opens(socket.AF_INET, socket.SOCK_STREAM, 6))
attempt("a name", lambda: socket.getaddrinfo("localhost", port))
attempt("addresses", opens(socket.AF_NETLINK, socket.SOCK_RAW, 0))
attempt("interfaces", lambda: socket.if_nameindex() or None)

for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    attempt(f"! unix {kind}", opens(socket.AF_UNIX, kind))
for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for address in (listening, "\0" + listening):
        attempt("! send from a pair", lambda: socket.socketpair(socket.AF_UNIX, kind)[0].sendto(b"x", address))
        attempt("! connect a pair", lambda: socket.socketpair(socket.AF_UNIX, kind)[0].connect(address))
attempt("! raw", opens(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("! raw with flags", opens(socket.AF_INET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 255))
attempt("! raw 6", opens(socket.AF_INET6, socket.SOCK_RAW, 58))
attempt("! sctp", opens(socket.AF_INET, socket.SOCK_STREAM, 132))
attempt("! packet", opens(socket.AF_PACKET, socket.SOCK_RAW))
attempt("! packet by its old name", opens(socket.AF_INET, 10))
attempt("! audit", opens(socket.AF_NETLINK, socket.SOCK_RAW, 9))
attempt("! events of devices", opens(socket.AF_NETLINK, socket.SOCK_DGRAM, 15))
attempt("! vsock", opens(socket.AF_VSOCK, socket.SOCK_STREAM))
attempt("! crypto of the kernel", opens(socket.AF_ALG, socket.SOCK_SEQPACKET))
attempt("! bluetooth", opens(31, socket.SOCK_RAW))
attempt("! change an interface", renames_an_interface)
attempt("! change a setting", lambda: open("/proc/sys/net/ipv4/ip_forward", "w").close())
attempt("! enter a network", enters_a_network)
