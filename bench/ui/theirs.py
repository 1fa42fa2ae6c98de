"""Writes series with TensorBoard's own writer.

theirs.py copy FROM TO   FROM has a folder for each run, and in it a file for each series: its values as float64
theirs.py live TO SERIES SECONDS   ten steps a second whose value is their number; says at what time each was written
"""

import os
import sys
import time

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter


def event(step, wall_time, names, values):
    summary = Summary(value=[Summary.Value(tag=n, simple_value=v) for n, v in zip(names, values)])
    return Event(step=step, wall_time=wall_time, summary=summary)


def copy(source, target):
    for run in sorted(os.listdir(source)):
        writer = EventFileWriter(os.path.join(target, run), max_queue_size=10000)
        files = sorted(os.listdir(os.path.join(source, run)))
        names = [f.replace("%2F", "/") for f in files]
        columns = np.array([np.fromfile(os.path.join(source, run, f)) for f in files])
        for step in range(columns.shape[1]):
            writer.add_event(event(step, 1.7e9 + step, names, columns[:, step].tolist()))
        writer.close()


def live(target, series, seconds):
    writer = EventFileWriter(os.path.join(target, "run"))
    names = ["loss"] + [f"metric{i}" for i in range(1, int(series))]
    end = time.time() + float(seconds)
    step = 0
    while time.time() < end:
        print(step, int(time.time() * 1e6), flush=True)
        writer.add_event(event(step, time.time(), names, [float(step)] * len(names)))
        writer.flush()
        step += 1
        time.sleep(0.1)
    writer.close()


if __name__ == "__main__":
    {"copy": copy, "live": live}[sys.argv[1]](*sys.argv[2:])
