"""Run at a terminal of its own, behind the seal: what it can do with that, and with no other."""

import fcntl
import os
import signal
import struct
import sys
import termios

me, other = os.ttyname(0), sys.argv[1]
print("at", all(os.isatty(fd) for fd in (0, 1, 2)), os.get_terminal_size() == (70, 20))
with open("/dev/tty", "r+b", buffering=0) as tty:
    print("own", os.isatty(tty.fileno()), os.getsid(0) == os.getpid(), os.tcgetpgrp(0) == os.getpgrp())


def attempt(name, deed):
    try:
        deed()
    except OSError as error:
        print(name, "refused", flush=True)
    else:
        print(name, "DONE", flush=True)


attempt("typed", lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"))
attempt("another", lambda: os.open(other, os.O_RDWR | os.O_NOCTTY))
attempt("a new one", lambda: os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
attempt("the console", lambda: os.open("/dev/console", os.O_RDWR | os.O_NOCTTY))
attempt("a socket", lambda: __import__("socket").socket())
attempt("outside", lambda: open("/tmp/../var/tmp/by-a-terminal", "w"))
signal.signal(signal.SIGINT, lambda *_: print("interrupted", flush=True))
print("name?", end=" ", flush=True)
print("hello", sys.stdin.readline().strip(), flush=True)
while True:
    signal.pause()
