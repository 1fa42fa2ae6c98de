"""Logs numbers as fast as asked and says how it went: see ingest.go.

client.py NAMES RATE SECONDS RESULT: a call of vigil.log for NAMES numbers, RATE numbers a second.
"""

import array
import collections
import json
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
took = array.array("q")
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
        took.append(clock() - a)
        step += 1
        if step % 16 == 0:
            break  # look at the clock
    else:
        time.sleep(0.0005)
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
took = sorted(took)
print(json.dumps({
    "calls": len(took), "points": len(took) * names, "seconds": ended - began, "median_us": took[len(took) // 2] / 1e3,
    "p99_us": took[int(len(took) * 0.99)] / 1e3, "safe_s": max(safe) if safe else None, "unsafe": len(marks), "dropped": sum(ring.dropped.values()),
}), file=open(sys.argv[4], "w"))
