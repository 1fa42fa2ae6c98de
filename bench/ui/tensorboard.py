"""Writes series with TensorBoard's own writer: tensorboard.py FROM TO.

FROM has a folder for each run, and in it a file for each series: its values as float64.
"""

import os
import sys

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

source, target = sys.argv[1:]
for run in sorted(os.listdir(source)):
    writer = EventFileWriter(os.path.join(target, run), max_queue_size=10000)
    files = sorted(os.listdir(os.path.join(source, run)))
    columns = {f.replace("%2F", "/"): np.fromfile(os.path.join(source, run, f)) for f in files}
    names, values = list(columns), np.array(list(columns.values()))
    for step in range(values.shape[1]):
        summary = Summary(value=[Summary.Value(tag=n, simple_value=float(v)) for n, v in zip(names, values[:, step])])
        writer.add_event(Event(step=step, wall_time=1.7e9 + step, summary=summary))
    writer.close()
