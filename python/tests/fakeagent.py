"""The agent's side of the wire, just enough to test the transport alone.

It speaks docs/protocol.md: listens, makes the ring, keeps every message, and
reads records when told to. The real agent is tested against the real hooks
elsewhere; this one can be made to misbehave.
"""

import array
import fcntl
import json
import mmap
import os
import socket
import struct
import threading
import time

from vigil import _wire

DEADLINE = 60.0


def until(there, what="condition"):
    """Wait until there() is true and return what it gave."""
    end = time.monotonic() + DEADLINE
    while True:
        got = there()
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError("%s did not come true in %g s" % (what, DEADLINE))
        time.sleep(0.002)


def make_ring(slots=64, data=1 << 20):
    """A sealed memfd with a ring's header; its descriptor."""
    size = 4096 + slots * 64
    start = (size + 4095) & -4096
    fd = os.memfd_create("vigil-test", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, start + data)
    fcntl.fcntl(fd, 1033, 0x2 | 0x4)  # F_ADD_SEALS: shrink, grow
    os.pwrite(fd, _wire.HEADER.pack(_wire.MAGIC, 1, 4096, slots, 4096, start, data), 0)
    return fd


class Reader(object):
    """The agent's view of a ring."""

    def __init__(self, fd):
        self.fd = fd
        self.map = mmap.mmap(fd, os.fstat(fd).st_size)
        _, _, _, self.slots, self.records, self.data, self.bytes = _wire.HEADER.unpack_from(self.map, 0)
        self.words = memoryview(self.map)[:4096].cast("Q")

    def head(self):
        return self.words[_wire.W_HEAD]

    def read(self):
        """Take all that is published: list of (record tuple, data bytes)."""
        out = []
        n = self.words[_wire.W_CONSUMED]
        while n < self.head():
            r = _wire.RECORD.unpack_from(self.map, self.records + (n % self.slots) * 64)
            assert r[12] == (n + 1) & 0xFFFFFFFF, "record %d carries seq %d" % (n, r[12])
            kind, offset, nbytes = r[0], r[7], r[8]
            data = b""
            if kind in (_wire.TENSOR, _wire.FRAME, _wire.PIECE, _wire.SCALARS, _wire.REDUCED, _wire.MARKS):
                assert offset % 64 == 0 and offset + nbytes <= self.bytes
                data = self.map[self.data + offset : self.data + offset + nbytes]
            out.append((r, data))
            n += 1
            self.words[_wire.W_CONSUMED] = n
        return out


class FakeAgent(object):
    """Listens at path. ``messages``: what hooks said; ``ring``: Reader of the latest session's ring."""

    def __init__(self, path, slots=64, data=1 << 20, use=None, refuse=None):
        self.path = path
        self.slots, self.data = slots, data
        self.use = data if use is None else use
        self.refuse = refuse
        self.messages = []
        self.sessions = []  # hello messages
        self.ring = None
        self.conns = []
        self.closed = False
        self.paused = False  # read nothing more after the next message
        if os.path.exists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(16)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            if self.closed:
                conn.close()
                return
            self.conns.append(conn)
            threading.Thread(target=self._serve, args=(conn,), daemon=True).start()

    def _serve(self, conn):
        try:
            while self.paused:
                time.sleep(0.002)
            hello, fds = receive(conn)
            if self.refuse:
                send(conn, {"t": "refused", "reason": self.refuse, "hint": "a hint"})
                return
            if hello["takeover"]:
                self.ring = Reader(fds[0])
                send(conn, self._welcome(0))
            else:
                fd = make_ring(self.slots, self.data)
                self.ring = Reader(fd)
                send(conn, self._welcome(os.fstat(fd).st_size), fd)
            self.sessions.append(hello)
            try:
                self.plan(conn=conn, version=1)
            except OSError:
                pass  # it may have gone already; what it said is still there to be read
            while True:
                while self.paused:
                    time.sleep(0.002)
                message, _ = receive(conn)
                self.messages.append(message)
        except (OSError, ValueError):
            return

    def _welcome(self, size):
        return {"t": "welcome", "v": 1, "run": "/runs/test", "worker": "worker_0", "ring": {"bytes": size}}

    def plan(self, version, conn=None, **fields):
        """Send a plan to one connection, or to the latest."""
        message = {"t": "plan", "version": version, "budget": 0.02, "ring": {"use": self.use}}
        message.update(fields)
        send(conn or self.conns[-1], message)
        self.ring.words[_wire.W_PLAN] = version

    def of(self, kind):
        """Messages of a kind so far."""
        return [m for m in list(self.messages) if m.get("t") == kind]

    def tensors(self):
        """Announced tensors by id."""
        return {t["id"]: t for m in self.of("tensors") for t in m["tensors"]}

    def die(self):
        """Vanish, as after kill -9."""
        self.closed = True
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for conn in self.conns:
            try:
                conn.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            conn.close()


def send(conn, message, fd=None):
    body = json.dumps(message).encode()
    data = struct.pack("<I", len(body)) + body
    if fd is None:
        conn.sendall(data)
        return
    n = conn.sendmsg([data[:4]], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
    conn.sendall(data[n:])


def receive(conn):
    fds = array.array("i")
    data, ancillary, _, _ = conn.recvmsg(4, socket.CMSG_SPACE(16))
    for _, _, payload in ancillary:
        fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
    while 0 < len(data) < 4:
        data += conn.recv(4 - len(data))
    if not data:
        raise ConnectionResetError
    (n,) = struct.unpack("<I", data)
    body = b""
    while len(body) < n:
        part = conn.recv(min(n - len(body), 1 << 20))
        if not part:
            raise ConnectionResetError
        body += part
    return json.loads(body.decode()), list(fds)
