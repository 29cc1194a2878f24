"""The channel to the host: a connection of its own for each thread and each process of the run."""

import math
import os
import sys

# What `socket`, `threading` and `weakref` are made of: importing those takes several times as
# long, at every start of a script.
import _socket as socket
from _thread import _local as _ThreadLocal
from _weakrefset import WeakSet

from ._errors import Error, error_of

_SCRIPT = os.environ.get("FOOTPLATE_SCRIPT")
_NO_CHANNEL = (
    "This process has no channel to footplate: it was started without the descriptor. Make the "
    "call in the script itself, or start this process with "
    "pass_fds=(int(os.environ['FOOTPLATE_FD'].split(':')[0]),)."
)
_DEEPEST = 100
_AT_ONCE = 32



def _fast_json():
    # The two C functions that do the work in `json`, without the regular expressions it compiles
    # when imported: half the time of a short script.
    from _json import encode_basestring, make_encoder, make_scanner

    class Plain:
        strict = True
        object_hook = object_pairs_hook = array_hook = None
        parse_float, parse_int, parse_constant = float, int, float

    encode = make_encoder(None, None, encode_basestring, None, ":", ",", False, False, False)
    scan = make_scanner(Plain)

    def dumps(value):
        return "".join(encode(value, 0))

    def loads(text):
        return scan(text, 0)[0]

    if loads(dumps({"é": [1, None, "\n"]})) != {"é": [1, None, "\n"]}:
        raise ImportError("these are other functions than we know")
    return dumps, loads


try:
    _dumps, _loads = _fast_json()
except (ImportError, AttributeError, TypeError):
    import json

    _dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    _loads = json.JSONDecoder().decode


class _Connection:
    socket = None

    def __init__(self):
        self.socket, other = socket.socketpair()
        self.read = bytearray()
        self.number = 0
        try:
            channel = _channel()
            try:
                descriptor = other.fileno().to_bytes(4, sys.byteorder)
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptor)
                channel.sendmsg([b"connect"], [rights])
            finally:
                channel.close()
        except OSError as error:
            self.socket.close()
            raise Error("footplate no longer answers: " + str(error)) from None
        finally:
            other.close()
        _connections.add(self)

    def close(self):
        if self.socket is not None:
            self.socket.close()

    __del__ = close

    def frame(self):
        """The next frame; blocks."""
        searched = 0
        while True:
            end = self.read.find(b"\n", searched)
            if end >= 0:
                frame = self.read[:end].decode()
                del self.read[: end + 1]
                return _loads(frame)
            searched = len(self.read)
            # More at once is memory that is mapped and given back for each answer.
            part = self.socket.recv(65536)
            if not part:
                raise Error("footplate closed the connection: the run is ending.")
            self.read += part

    def exchange(self, requests):
        """Makes the calls, some at once, and gives their replies in order."""
        try:
            return self.replies(requests)
        except OSError:
            # The host may have said why before it closed.
            reply = self.frame()
            raise Error(reply.get("fault", "footplate closed the connection.")) from None

    def replies(self, requests):
        replies = {}
        first = self.number
        waiting = iter(requests)
        pending = 0
        more = True
        while more or pending:
            while more and pending < _AT_ONCE:
                request = next(waiting, None)
                if request is None:
                    more = False
                    break
                self.socket.sendall(b'{"id":%d,%s\n' % (self.number, request))
                self.number += 1
                pending += 1
            if pending:
                reply = self.frame()
                if "fault" in reply:
                    raise Error(reply["fault"])
                replies[reply["id"]] = reply
                pending -= 1
        return [replies[number] for number in range(first, self.number)]


class _Local(_ThreadLocal):
    connection = None


_connections = WeakSet()
_local = _Local()


def _after_fork():
    global _local, _connections
    for connection in list(_connections):
        connection.close()
    _connections = WeakSet()
    _local = _Local()


os.register_at_fork(after_in_child=_after_fork)


def _channel():
    number, _, identity = os.environ.get("FOOTPLATE_FD", "").partition(":")
    try:
        # Another file may have taken the number in a process that did not inherit it.
        if os.fstat(int(number)).st_ino == int(identity):
            return socket.socket(fileno=os.dup(int(number)))
    except (OSError, ValueError):
        pass
    raise Error(_NO_CHANNEL)


def _exchange(requests):
    connection = _local.connection
    if connection is None:
        connection = _local.connection = _Connection()
    try:
        return connection.exchange(requests)
    except BaseException as error:
        # Half an exchange may be on its way: nobody may read the rest of it as an answer.
        _local.connection = None
        connection.close()
        if isinstance(error, OSError):
            raise Error("footplate no longer answers: " + str(error)) from None
        raise


def _line():
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == _SCRIPT:
            return frame.f_lineno
        frame = frame.f_back
    return None


def _plain(value, place, depth=0):
    """The value as JSON can carry it, or a TypeError that says where it cannot."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if depth > _DEEPEST:
        raise TypeError(place + ": nested too deeply (or within itself)")
    if isinstance(value, bool):
        return bool(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise TypeError(place + ": an integer of more than 64 bits; pass it as text")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError("%s: %r is no JSON number" % (place, value))
        return float(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item, "%s[%d]" % (place, at), depth + 1) for at, item in enumerate(value)]
    if isinstance(value, dict):
        plain = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError("%s: the key %r is not text" % (place, key))
            plain[key] = _plain(item, "%s.%s" % (place, key), depth + 1)
        return plain
    if isinstance(value, os.PathLike) and isinstance(value.__fspath__(), str):
        return value.__fspath__()
    raise TypeError("%s: JSON cannot carry a %s" % (place, kind.__name__))


def _request(name, input, line):
    plain = {key: _plain(value, name + "." + str(key)) for key, value in input.items()}
    try:
        return _dumps({"name": name, "input": plain, "line": line}).encode()[1:]
    except UnicodeEncodeError:
        raise TypeError(name + ": text with half a surrogate pair cannot be sent") from None


def call(name, input):
    """Makes one call and gives its result, or raises what came instead."""
    reply = _exchange([_request(name, input, _line())])[0]
    if reply["ok"]:
        return reply["content"]
    raise error_of(reply["content"])


def batch(calls, return_errors=False):
    """Makes several calls at once and gives their results in order.

    Each is a pair of a function, or its name, and its arguments:
    `batch([(files.read, {"path": "a"}), ("files.read", {"path": "b"})])`. All of them are made,
    whatever becomes of the others; then the first error is raised, with `.results`, or with
    `return_errors` each error stands in its place.
    """
    line = _line()
    requests = []
    for function, input in calls:
        name = function if isinstance(function, str) else getattr(function, "capability", None)
        if not isinstance(name, str):
            raise TypeError("batch: %r is no function of a footplate module" % (function,))
        requests.append(_request(name, input, line))
    results = [
        reply["content"] if reply["ok"] else error_of(reply["content"])
        for reply in _exchange(requests)
    ]
    if not return_errors:
        for result in results:
            if isinstance(result, Error):
                result.results = results
                raise result
    return results
