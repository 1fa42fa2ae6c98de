"""The agent dies and another takes over; training never notices."""

import os
import threading
import time

import fakeagent
import pytest
from fakeagent import until

from vigil import _connection, _wire


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(_connection, "BACKOFF", (0.01, 0.05))


def fill(session):
    session.announce_modules("Net", [("", "Net", 0)])
    session.announce_tensors([{"name": "a", "kind": "weight"}, {"name": "b", "kind": "weight"}])
    session.shape_id((2, 2))
    session.layout([(0, 4)])
    session.facts({"n": 1}, "first")
    session.facts({"n": 2}, "second")
    session.collection(name="c", regex="x")


def state(agent):
    out = {}
    for m in agent.messages:
        out.setdefault(m["t"], []).append(m)
    return out


def test_the_next_agent_gets_the_ring_and_the_state(connected, make_agent):
    agent, session = connected()
    fill(session)
    until(lambda: agent.of("collection"))
    for i in range(10):
        session.scalar(0, i, 0, i, float(i))
    seen = agent.ring.read()[:4]
    agent.ring.words[_wire.W_CONSUMED] = 4
    agent.die()
    session.scalar(1, 10, 0, 10, 10.0)  # while nobody listens
    (late,) = session.announce_tensors([{"name": "late", "kind": "weight"}])
    session.scalar(late, 11, 0, 11, 11.0)
    session.notice("info", "said to nobody")
    second = make_agent()
    until(lambda: second.of("notice"))
    (hello,) = second.sessions
    assert hello["takeover"] and hello["session"] == agent.sessions[0]["session"]
    assert [r[9] for r, _ in seen] + [r[9] for r, _ in second.ring.read()] == [float(i) for i in range(12)]
    got = state(second)
    assert second.tensors()[late]["name"] == "late" and second.tensors()[0]["name"] == "a"
    assert [m["said"] for m in got["facts"]] == ["second"]
    assert len(got["modules"]) == len(got["shapes"]) == len(got["layout"]) == len(got["collection"]) == 1
    # Life goes on with the second one.
    session.announce_tensors([{"name": "new", "kind": "weight"}])
    until(lambda: 3 in second.tensors())
    second.plan(7)
    assert until(session.new_plan).version == 7


def test_all_that_was_said_of_a_collection_is_said_again(connected, make_agent):
    """The agent adds up what is said of one name: a second time takes nothing back. What says nothing new is not sent."""
    agent, session = connected()
    said = [dict(regex="x"), dict(regex="y", every=5), dict(regex="x"), dict(names=["z"])]
    for fields in said:
        session.collection(name="c", **fields)
    until(lambda: len(agent.of("collection")) == 3)
    agent.die()
    session.collection(name="c", steps=[7])  # while nobody listens
    session.notice("info", "the last word")
    second = make_agent()
    until(lambda: second.of("notice"))
    assert second.of("collection")[:3] == agent.of("collection")
    assert [{k: v for k, v in m.items() if k not in ("t", "name")} for m in second.of("collection")] == [
        {"regex": ["x"]}, {"regex": ["y"], "every": 5}, {"names": ["z"]}, {"steps": [7]},
    ]  # fmt: skip


def test_collections_without_end_are_not_kept(connected):
    """A script that says another one at every step: the agent takes 200, and says so."""
    agent, session = connected()
    before = len(session._link.journal)
    for n in range(3000):
        session.collection(name="now", steps=[n])
    assert len(session._link.journal) == before + 1000


def test_state_is_sent_before_the_welcome(connected, sockdir):
    """So that a new agent knows every name before it reads the ring."""
    import socket

    agent, session = connected()
    fill(session)
    agent.die()
    path = os.environ["VIGIL_SOCKET"]
    os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(1)
    conn, _ = listener.accept()
    kinds = []
    with conn, listener:
        while "collection" not in kinds:
            kinds.append(fakeagent.receive(conn)[0]["t"])
    assert kinds[0] == "hello" and "tensors" in kinds


def test_again_and_again(connected, make_agent):
    agent, session = connected(slots=1 << 12)
    ids = []
    for n in range(10):
        ids += session.announce_tensors([{"name": "t%d" % n, "kind": "weight"}])
        session.scalar(ids[-1], n, 0, n, float(n))
        agent.die()
        agent = make_agent()
        until(lambda: agent.sessions)
    until(lambda: len(agent.tensors()) == 10)
    assert [r[9] for r, _ in agent.ring.read()] == [float(n) for n in range(10)]


def test_training_is_not_blocked_while_nobody_listens(connected):
    agent, session = connected(slots=16)
    session.ring.wait = 0.01
    agent.die()
    until(lambda: session._link.sock is None)
    waits = []

    def sleep(seconds):
        if threading.current_thread() is threading.main_thread():
            waits.append(seconds)
        time_sleep(seconds)

    time_sleep = time.sleep
    time.sleep = sleep
    try:
        for i in range(1000):
            session.scalar(0, i, 0, i, 0.0)
            session.notice("info", "x")
            if i % 100 == 0:
                session.announce_tensors([{"name": "t%d" % i}])
    finally:
        time.sleep = time_sleep
    assert sum(waits) < 0.02  # one bounded wait in all, then the breaker is open
    assert sum(session.dropped.values()) == 1000 - 16


def test_an_agent_that_does_not_read_is_left(connected):
    """A stopped agent: the send gives up after its limit, and later announcements do not wait at all."""
    import socket
    import struct

    agent, session = connected()
    session._link.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, 50000))
    agent.paused = True
    before = len(session._link.journal)
    session.notice("info", "wakes the reader up, which then sleeps")
    for i in range(200):
        session.announce_tensors([{"name": "%d.%d" % (i, j), "kind": "weight"} for j in range(500)])
    assert len(session._link.journal) == before + 200 and session.alive
    assert len(agent.tensors()) < 100000
    agent.paused = False
    until(lambda: len(agent.sessions) == 2 and agent.sessions[1]["takeover"])
    until(lambda: len(agent.tensors()) == 100000)


def test_a_refusing_successor_makes_the_session_inert(connected, make_agent, capsys):
    agent, session = connected()
    agent.die()
    second = make_agent(refuse="the run has ended")
    until(lambda: not session.alive)
    assert not session.scalar(0, 1, 0, 1, 1.0)
    assert second.sessions == []
    said = []

    def heard():
        said.append(capsys.readouterr().err)
        return "".join(said)

    assert until(heard) == "vigil: nothing more is captured: the run has ended; a hint\n"


def test_an_agent_that_takes_and_drops_the_session_is_not_asked_without_end(connected, make_agent, monkeypatch):
    """Each attempt waits longer than the one before, although each is welcome."""
    pauses = []
    poll = _connection.Link._poll
    agent, session = connected()

    def polled(link, sock, seconds):
        # Links of sessions that other tests began may live as long as the process.
        if link is session._link and sock is None and seconds:
            pauses.append(seconds)
        return poll(link, sock, seconds)

    monkeypatch.setattr(_connection.Link, "_poll", polled)
    agent.die()
    for _ in range(8):
        second = make_agent()
        until(lambda: second.sessions)
        second.die()
    assert session.alive
    assert pauses[:3] == [0.01, 0.02, 0.04] and set(pauses[3:]) == {0.05}


def test_a_garbled_successor_is_tried_again(connected, make_agent, sockdir):
    import socket

    agent, session = connected()
    agent.die()
    path = os.environ["VIGIL_SOCKET"]
    os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(1)
    conn, _ = listener.accept()
    conn.sendall(b"\x03\x00\x00\x00abc")
    listener.close()
    second = make_agent()
    until(lambda: second.sessions)
    conn.close()
    assert session.alive


def test_bye_waits_for_the_next_agent(connected, make_agent, monkeypatch):
    from vigil import _session

    monkeypatch.setattr(_session, "BYE_SECONDS", fakeagent.DEADLINE)
    agent, session = connected()
    session.step(1, 0, 1, 0.1, 5)
    agent.die()
    until(lambda: session._link.sock is None)
    made = []
    timer = threading.Timer(0.1, lambda: made.append(make_agent()))
    timer.start()
    session.bye()
    timer.join()
    until(lambda: made[0].of("bye"))
    assert [r[0] for r, _ in made[0].ring.read()] == [_wire.STEP]


def test_ctrl_c_in_a_send_does_not_garble_what_follows(connected, make_agent):
    """A message cut in two ends the connection; everything is said again on the next."""
    agent, session = connected()
    link = session._link
    until(lambda: link.sock is not None)
    real = link.sock

    class Interrupted(object):
        def __getattr__(self, name):
            return getattr(real, name)

        def sendall(self, data):
            real.sendall(data[: len(data) // 2])
            raise KeyboardInterrupt

    link.sock = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        session.announce_tensors([{"name": "a", "kind": "weight"}])
    until(lambda: len(agent.sessions) == 2)
    until(lambda: agent.tensors())
    assert agent.tensors()[0]["name"] == "a" and agent.sessions[1]["takeover"]
    session.announce_tensors([{"name": "b", "kind": "weight"}])
    until(lambda: 1 in agent.tensors())


def test_a_signal_handler_may_announce_in_the_middle_of_a_send(connected):
    agent, session = connected()
    link = session._link
    real = link.sock

    class Signalled(object):
        def __getattr__(self, name):
            return getattr(real, name)

        def sendall(self, data):
            real.sendall(data[:3])
            if not done:
                done.append(session.announce_tensors([{"name": "from the handler"}]))
            real.sendall(data[3:])

    done = []
    link.sock = Signalled()
    assert session.announce_tensors([{"name": "a"}]) == [0]
    until(lambda: len(agent.tensors()) == 2)
    assert {t["name"] for t in agent.tensors().values()} == {"a", "from the handler"}
