"""Runs before the script: makes `footplate` this package, whatever the workspace holds."""

import os
import sys


def _prepare():
    from importlib.machinery import PathFinder

    home = [os.path.dirname(os.path.abspath(__file__))]

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "footplate":
                return PathFinder.find_spec(name, home)
            if name.startswith("footplate."):
                return PathFinder.find_spec(name, [os.path.join(home[0], "footplate")])
            return None

    sys.meta_path.insert(0, Finder)
    # Whoever started the host in the background had interrupts ignored, and that is inherited; a
    # script must hear the one it is stopped with. The C module, since `signal` is slow to import.
    import _signal

    if _signal.getsignal(_signal.SIGINT) == _signal.SIG_IGN:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    # For the script only: a Python program that it starts expects its own folder there.
    os.environ.pop("PYTHONSAFEPATH", None)
    # Its parts of the standard library are imported while nobody could have replaced them.
    if os.environ.pop("FOOTPLATE_PRELOAD", None):
        import footplate  # noqa: F401

    try:
        number, _, identity = os.environ.get("FOOTPLATE_FD", "").partition(":")
        channel = int(number)
        if os.fstat(channel).st_ino != int(identity):
            return
        os.write(channel, b"up")
    except (OSError, ValueError):
        return

    import atexit

    process = os.getpid()

    def leave():
        # An end by a signal never comes here: so the host tells the two apart.
        if os.getpid() == process:
            try:
                os.write(channel, b"leaving")
            except OSError:
                pass

    atexit.register(leave)


_prepare()
