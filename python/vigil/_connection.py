"""The socket to the agent: handshake, sending, and the thread that listens.

Training waits on the socket for at most ``SEND_SECONDS`` once: a send that
takes longer breaks the connection, and the listener makes a new one. What the
agent must know of the session (tensors, shapes, layouts, ...) is kept in a
journal and sent again to whoever answers next, together with the ring's
descriptor.
"""

import array
import collections
import json
import os
import select
import socket
import struct
import threading
import time

from vigil import _guard, _wire

SEND_SECONDS = 2
HANDSHAKE_SECONDS = 5.0
RESUME_SECONDS = 60.0  # a run that goes on is judged once more up to there before the hook is welcomed
FIRST_SECONDS = 2.0  # how long the first connection is tried while nobody listens
PAUSE_SECONDS = 0.2  # how long a fork waits for the listener to end
BACKOFF = (0.02, 2.0)  # pauses between attempts to reconnect: first, longest
STEADY_SECONDS = 5.0  # a connection that lasted this long was a good one: the next is tried at once


class Refused(Exception):
    """The agent will not take this process."""


class Link(object):
    """A connection that fixes itself.

    ``hello(takeover)`` makes the first message; ``ring_fd()`` gives the
    descriptor to hand over; ``on_message(dict)`` is called in the listener's
    thread; ``on_refused(reason, hint)`` when a later agent refuses.
    """

    def __init__(self, path, hello, ring_fd, on_message, on_refused):
        self.path = path
        self.hello = hello
        self.ring_fd = ring_fd
        self.on_message = on_message
        self.on_refused = on_refused
        self.lock = threading.RLock()
        self.sock = None
        self.journal = []  # framed messages that make the session
        self.keyed = {}  # key -> index in the journal, for messages that replace an earlier one
        self.sent = 0  # how many of the journal this connection has
        self.pending = collections.deque(maxlen=1000)  # messages sent once, waiting
        self.sending = False
        self.closed = False
        self.thread = None
        self.wake = None  # a pair of sockets that interrupts the listener
        self.pausing = False
        self.pause_s = 0.0  # before the next attempt to connect

    # Connecting.

    def connect(self):
        """The first handshake: (welcome, descriptor of the ring). Raises OSError or Refused."""
        end = time.monotonic() + FIRST_SECONDS
        while True:
            try:
                sock = dial(self.path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        try:
            sock.settimeout(RESUME_SECONDS if os.environ.get("VIGIL_RESUME") else HANDSHAKE_SECONDS)
            sock.sendall(_wire.frame(_wire.dumps(self.hello(False))))
            message, fds = receive(sock, True)
            if message.get("t") == "refused":
                for fd in fds:
                    os.close(fd)
                raise Refused(message.get("reason") or "no reason given", message.get("hint") or "")
            if message.get("t") != "welcome" or len(fds) != 1:
                for fd in fds:
                    os.close(fd)
                raise OSError("greet the agent at %s: it answered %r with %d descriptors" % (self.path, message.get("t"), len(fds)))
            _ready(sock)
        except BaseException:
            sock.close()
            raise
        self.sock = sock
        return message, fds[0]

    def listen(self):
        """Start the listener."""
        if self.wake is None:
            self.wake = socket.socketpair()
        self.pausing = False
        self.thread = threading.Thread(target=_guard.guard(self._listen), name="vigil", daemon=True)
        try:
            self.thread.start()
        except RuntimeError:
            self.thread = None  # the interpreter is shutting down: what is left to say can still be said

    def pause(self):
        """Before a fork: end the listener; resume starts it again in the parent."""
        if self.thread is None or self.closed:
            return
        self.pausing = True
        self._stop()

    def _stop(self):
        """Wake the listener and wait for its end: whether it ended. It looks at closed and pausing."""
        thread, wake = self.thread, self.wake
        if thread is None or wake is None or thread.ident is None or thread is threading.current_thread():
            return True
        try:
            wake[1].send(b"x")
        except OSError:
            pass  # the listener itself is closing the link at this moment
        thread.join(PAUSE_SECONDS)
        return not thread.is_alive()

    def resume(self):
        """After a fork, in the parent."""
        if not self.pausing:
            return
        self.pausing = False
        if self.thread is not None and self.thread.is_alive():
            return  # it was busy with something longer, and has not looked
        self._drain()
        self.thread = None
        if not self.closed:
            self.listen()

    def _drain(self):
        while self._poll(None, 0)[1]:
            self.wake[0].recv(64)

    def _poll(self, sock, seconds):
        """Wait for the socket or a wake-up: (the socket has something, woken)."""
        poll = select.poll()
        poll.register(self.wake[0], select.POLLIN)
        if sock is not None:
            poll.register(sock, select.POLLIN)
        woken = there = False
        for fd, _ in poll.poll(None if seconds is None else int(seconds * 1000)):
            if fd == self.wake[0].fileno():
                woken = True
            else:
                there = True
        return there, woken

    # Sending.

    def send(self, message, keep=False, key=None, more=False):
        """Send a message; keep: it is part of the session's state; key: it replaces the one kept under the key; more: the next one follows at once, and takes it along."""
        data = _wire.frame(_wire.dumps(message))
        with self.lock:
            if self.closed:
                return
            if keep or key is not None:
                if key is not None:
                    old = self.keyed.get(key)
                    if old is not None and old < self.sent:
                        self.journal[old] = b""
                    self.keyed[key] = len(self.journal)
                self.journal.append(data)
            else:
                self.pending.append(data)
            if self.sock is not None and not self.sending and not more:
                self._flush()

    def _flush(self):
        """Send what is waiting. The lock is held; a signal handler that comes back here only queues."""
        sock = self.sock
        whole = False
        self.sending = True
        try:
            while self.sent < len(self.journal):
                data = self.journal[self.sent]
                if data:
                    sock.sendall(data)
                self.sent += 1
            while self.pending:
                sock.sendall(self.pending[0])
                self.pending.popleft()
            whole = True
        except OSError:
            pass
        finally:
            # Ctrl-C may have cut a message in two: then nothing more can be said on this connection.
            self.sending = False
            if not whole:
                self._cut(sock)

    def _cut(self, sock):
        if self.sock is sock:
            self.sock = None
        hang_up(sock)

    # Listening.

    def _listen(self):
        try:
            while not self.closed and not self.pausing:
                sock = self.sock
                if sock is not None:
                    began = time.monotonic()
                    self._read(sock)
                    if self.pausing:
                        return
                    if time.monotonic() - began >= STEADY_SECONDS:
                        self.pause_s = 0.0
                    with self.lock:
                        if self.closed:
                            return
                        self._cut(sock)
                    sock.close()
                self._reconnect()
        except Refused as error:
            self.closed = True
            self.on_refused(*error.args)
        except Exception as error:
            if not self.closed:
                self.closed = True
                _guard.background("Link.listen", error)
                self.on_refused("the connection to the agent failed: %s" % error, "")

    def _read(self, sock):
        """Hand on messages until the connection ends, or the listener is to pause. Of plans that come close together the newest is read, the others need not be."""
        plan = None  # the body of one that is held back while more is there
        try:
            while not self.closed:
                there, woken = self._poll(sock, None if plan is None else 0)
                if woken and self.pausing:
                    return
                if not there:
                    if plan is None:
                        self._drain()
                    else:
                        plan, body = None, plan
                        self._hand_on(body)
                    continue
                body, _ = receive_body(sock, False)
                if body.startswith(_wire.PLAN):
                    plan = body
                    continue
                if plan is not None:
                    plan, before = None, plan
                    self._hand_on(before)
                self._hand_on(body)
        except (OSError, ValueError):
            return
        finally:
            if plan is not None:
                try:
                    self._hand_on(plan)
                except ValueError:
                    pass

    def _hand_on(self, body):
        """Raises ValueError when the body is no message."""
        message = parse(body)
        try:
            self.on_message(message)
        except Exception as error:
            _guard.background("Link.on_message", error)

    def _reconnect(self):
        """Find the next agent and hand it the ring and the session's state.

        Each attempt waits longer than the one before, also when an agent takes
        the session and drops it again at once.
        """
        first, longest = BACKOFF
        while not self.closed and not self.pausing:
            if self.pause_s > 0:
                self._poll(None, self.pause_s)
                if self.closed or self.pausing:
                    return
            self.pause_s = min(max(self.pause_s * 2, first), longest)
            sock = None
            try:
                sock = dial(self.path)
                if self._take_over(sock):
                    return
            except (OSError, ValueError):
                pass
            except Refused:
                sock.close()
                raise
            if sock is not None:
                sock.close()

    def _take_over(self, sock):
        sock.settimeout(HANDSHAKE_SECONDS)
        hello = _wire.frame(_wire.dumps(self.hello(True)))
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [self.ring_fd()]))]
        n = sock.sendmsg([hello[:4]], rights)
        sock.sendall(hello[n:])
        # The state follows at once, so that the agent knows every name before it reads the ring.
        # It goes out without the lock: training may announce more meanwhile, which the loop picks up.
        sent = 0
        while sent < len(self.journal):
            data = self.journal[sent]
            if data:
                sock.sendall(data)
            sent += 1
        message, fds = receive(sock, True)
        for fd in fds:
            os.close(fd)
        if message.get("t") == "refused":
            raise Refused(message.get("reason") or "no reason given", message.get("hint") or "")
        if message.get("t") != "welcome":
            return False
        _ready(sock)
        with self.lock:
            if self.closed:
                return False
            self.sock = sock
            self.sent = sent
            self._flush()
        self.on_message(message)
        return True

    # Ending.

    def close(self, wait_s=0.0):
        """Send what is left, waiting up to wait_s for a new agent if there is none, and hang up."""
        end = time.monotonic() + wait_s
        while self.sock is None and not self.closed and time.monotonic() < end:
            time.sleep(0.01)
        with self.lock:
            if self.sock is not None and not self.sending:
                self._flush()
            self.closed = True
            sock, self.sock = self.sock, None
        if sock is not None:
            hang_up(sock)
        if not self._stop():
            return  # it is in a handshake, and ends by itself
        wake, self.wake, self.thread = self.wake, None, None
        for end in wake or ():
            end.close()
        if sock is not None:
            sock.close()

    def forked(self):
        """In a forked child: let go of the parent's socket without a word."""
        self.closed = True
        self.lock = threading.RLock()
        sock, self.sock = self.sock, None
        self.journal, self.pending = [], collections.deque()
        self.pausing = False
        wake, self.wake = self.wake, None
        for end in wake or ():
            end.close()
        if sock is not None:
            sock.close()


def dial(path):
    """A socket connected to path."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(HANDSHAKE_SECONDS)
        sock.connect(path)
    except BaseException:
        sock.close()
        raise
    return sock


def _ready(sock):
    """From the handshake to daily life: reading blocks (in the listener's thread), writing has its limit."""
    sock.settimeout(None)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))


def hang_up(sock):
    """End the connection for both directions; a thread that reads wakes up."""
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def receive(sock, rights):
    """One message and the descriptors that came with it. Raises OSError at the end, ValueError when it makes no sense."""
    body, fds = receive_body(sock, rights)
    return parse(body), fds


def parse(body):
    """The message in a body; ValueError when it is none."""
    message = json.loads(body.decode("utf-8"))
    if not isinstance(message, dict):
        raise ValueError("message is not an object")
    return message


def receive_body(sock, rights):
    """The bytes of one message, and the descriptors that came with it. Raises as receive."""
    fds = array.array("i")
    head = b""
    while len(head) < 4:
        if rights:
            data, ancillary, _, _ = sock.recvmsg(4 - len(head), socket.CMSG_SPACE(4 * fds.itemsize))
            for level, kind, payload in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
        else:
            data = sock.recv(4 - len(head))
        if not data:
            raise ConnectionResetError("the agent closed the connection")
        head += data
    for fd in fds:
        os.set_inheritable(fd, False)
    (n,) = _wire.LENGTH.unpack(head)
    if n > _wire.MAX_MESSAGE:
        raise ValueError("message of %d bytes is longer than %d" % (n, _wire.MAX_MESSAGE))
    parts = []
    while n > 0:
        data = sock.recv(min(n, 1 << 20))
        if not data:
            raise ConnectionResetError("the agent closed the connection in a message")
        parts.append(data)
        n -= len(data)
    return b"".join(parts), list(fds)
