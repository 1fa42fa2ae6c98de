"""Logs numbers as fast as asked and says how it went: see ingest.go.

What the machine adds to any call is told by a control, Python that packs as many numbers and knows nothing of Vigil, in turn with the calls. It packs them as often
as makes it last as long as a call: what interrupts a process so many times a second meets the longer of two pieces of code more often.
Then calls of one number follow, as a training makes them.

client.py NAMES RATE SECONDS RESULT: a call of vigil.log for NAMES numbers, RATE numbers a second.
"""

import array
import collections
import json
import struct
import sys
import time

import numpy

import vigil
from vigil import _session, _wire

names, rate, seconds = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
keys = ["layer_%03d" % i for i in range(names)]
noise = numpy.random.default_rng(0)


def row():
    return dict(zip(keys, (2 + 0.1 * noise.standard_normal(names, dtype="float32")).tolist()))


vigil.log(row(), 0)
time.sleep(1)  # the agent has answered with its plan
ring = _session.current().ring
pace = names / rate
took, control, single = array.array("q"), array.array("q"), array.array("q")
pack = struct.Struct("<%dd" % names).pack
again, last = 1, 0  # how often the control packs, and the call that was looked at for it
marks = collections.deque()
safe = []
clock = time.perf_counter_ns
step = 1


def look():
    """Note how long ago what is on the disk now was logged."""
    now, synced = time.perf_counter(), ring.words[_wire.W_SYNCED]
    while marks and marks[0][0] <= synced:
        safe.append(now - marks.popleft()[1])


began = time.perf_counter()
marked = began
while True:
    now = time.perf_counter()
    if now - began >= seconds:
        break
    due = int((now - began) / pace)
    while step <= due:
        values = row()
        a = clock()
        vigil.log(values, step)
        b = clock()
        for _ in range(again):
            tuple(values)
            frozenset(map(type, values.values()))
            pack(*values.values())
        control.append(clock() - b)
        took.append(b - a)
        step += 1
        if step % 16 == 0:
            break  # look at the clock; no sleep, from which a process comes back to a slower machine: a training computes between two calls
    if len(took) - last >= 100:
        # Of the fastest ones, which nothing interrupted.
        again = max(round(again * min(took[last:]) / min(control[last:])), 1)
        last = len(took)
    if now - marked > 0.05:
        marked = now
        marks.append((ring.head, now))
    look()
ended = time.perf_counter()
vigil.log(row(), step)  # closes the step before it
end = time.perf_counter() + 30
while marks and time.perf_counter() < end:
    look()
    time.sleep(0.005)
for step in range(step + 1, step + 20001):
    loss = {"loss": 1.0 / step}
    a = clock()
    vigil.log(loss, step)
    single.append(clock() - a)
    row()


def times(nanoseconds):
    """Median and 99th percentile in µs."""
    n = sorted(nanoseconds)
    return {"median_us": n[len(n) // 2] / 1e3, "p99_us": n[int(len(n) * 0.99)] / 1e3}


print(json.dumps({
    "calls": len(took), "points": len(took) * names, "seconds": ended - began, "call": times(took), "control": times(control), "single": times(single), "safe_s": max(safe) if safe else None, "unsafe": len(marks), "dropped": sum(ring.dropped.values()),
}), file=open(sys.argv[4], "w"))
