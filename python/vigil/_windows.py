"""Windows of detail: for a while a thread notes, every 10 ms, where the training stands, and where loader workers stand."""

import os
import threading
import time

from vigil import _stacks
from vigil._sampling import MOST_SECONDS, Samples, Switching, Thread
from vigil._worker_windows import GATHER_SECONDS, Workers


class Windows(object):
    """The windows of one session: those that are to come, and the one that runs."""

    def __init__(self, session):
        self.session = session
        self.pending = []  # windows as asked for, and when that was
        self.window = None  # the one that runs
        self.thread = Thread(self._body)
        self.lock = threading.Lock()  # taken by our own threads only
        self.idle = True  # the thread has ended, or is about to

    def ask(self, window):
        """A window that the agent asks for. In the listener's thread."""
        window = dict(window, came=time.monotonic())
        known = [w.get("number") for w in self.pending]
        if self.window is not None:
            known.append(self.window.asked.get("number"))
        if window.get("number") in known:
            return  # asked once more by the next agent
        with self.lock:
            self.pending.append(window)
            start = self.idle or self.thread.finished or self.thread.thread is None
            self.idle = False
        if start:
            self.thread = Thread(self._body)
            self.thread.start()
        else:
            self.thread.wake()

    # In the thread.

    def _body(self):
        while not self.thread.stopping():
            if self.window is None:
                due, wait_s = self._due()
                if due is None:
                    with self.lock:
                        if not self.pending:
                            self.idle = True
                            return
                    self.thread.woken.wait(wait_s)
                    continue
                self.pending.remove(due)
                self.window = Window(self.session, due)
                if self.window.over():
                    window, self.window = self.window, None
                    window.deliver("its steps were over when the training heard of it")
                    continue
            if not self.window.run(self.thread):
                return  # it goes on after the fork, or end() delivers it
            window, self.window = self.window, None
            window.deliver()

    def _due(self):
        """The next window whose time has come, or how long to wait for it."""
        steps, now, wait_s = self.session.train_steps(), time.monotonic(), 1.0
        for w in list(self.pending):
            first, after = w.get("first_step"), w.get("after")
            if first is not None:
                if steps >= first:
                    return w, 0.0
                each = self.session.step_seconds or 0.001
                wait_s = min(wait_s, max((first - steps) * each / 2, 0.002))
            elif after:
                left = w["came"] + after - now
                if left <= 0:
                    return w, 0.0
                wait_s = min(wait_s, left)
            else:
                return w, 0.0
        return None, wait_s

    # At the end, and around forks.

    def end(self):
        """The process ends: what was noted until now is delivered."""
        self.pending = []
        if self.idle:
            return
        self.thread.stop(GATHER_SECONDS + 1.0)  # it may be delivering one
        window, self.window = self.window, None
        if window is not None:
            window.deliver("the training ended in the window")


class Window(object):
    """One window, from its first sample to its delivery."""

    def __init__(self, session, asked):
        self.session = session
        self.asked = asked
        self.samples = Samples()
        self.wall_ns = time.time_ns()
        self.began = self.last = time.perf_counter_ns()
        self.first_step = session.train_steps()
        self.workers = Workers(session.path, asked)

    def run(self, thread):
        """Sample until the window is over; False when the thread is to pause or to end before."""
        with Switching():
            return self._run(thread)

    def _run(self, thread):
        samples, clock = self.samples, time.perf_counter_ns
        main = threading.main_thread().ident
        seconds = min(float(self.asked.get("seconds") or MOST_SECONDS), MOST_SECONDS)
        until, end_step = self.began + int(seconds * 1e9), self._end_step()
        self.workers.begin(seconds)
        while True:
            thread.woken.wait(samples.interval_ns / 1e9)
            if thread.stopping():
                return False
            now = clock()
            if now >= until:
                break
            steps = self.session.train_steps()
            if end_step is not None and steps >= end_step:
                break
            idents = (main,)
            trainer = self.session.trainer
            if trainer is not None and trainer != main:
                idents = (main, trainer)
            graph = self.session.graph
            samples.take(idents, now - self.last, graph is not None and graph())
            self.last = now
        return True

    def over(self):
        """Whether its last step has been closed already."""
        end_step = self._end_step()
        return end_step is not None and self.session.train_steps() >= end_step

    def _end_step(self):
        if self.asked.get("end_step") is not None:
            return int(self.asked["end_step"])
        if self.asked.get("steps"):
            return self.first_step + int(self.asked["steps"])
        return None

    def deliver(self, cut=None):
        """Send what was noted to the agent."""
        steps = self.session.train_steps()
        seconds = (self.last - self.began) / 1e9
        known = dict(getattr(threading, "_active", {}))
        for key in self.samples.stacks:
            thread = known.get(key[0])
            self.samples.names[key[0]] = str(getattr(thread, "_name", None) or "thread %d" % key[0])
        processes = [self.samples.plain("rank", None)]
        processes += self.workers.gather(0.3 if cut else GATHER_SECONDS)
        message = {
            "number": self.asked.get("number"), "session": self.session.id, "pid": os.getpid(), "began_ns": self.wall_ns, "seconds": seconds,
            "first_step": self.first_step, "end_step": steps, "cut": cut or "", "workers": self.workers.count, "processes": processes,
        }  # fmt: skip
        try:
            _stacks.send(self.session.path, {"t": "control", "cmd": "samples", "samples": message}, 0.5 if cut else _stacks.ANSWER_SECONDS)
        except (OSError, ValueError):
            pass  # nobody is there who could store it
