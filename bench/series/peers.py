"""Writes or reads numbers with one tracker and prints how long it took: see peers.go.

peers.py wandb|tensorboard|vigil DIR ROWS NAMES: one row of NAMES numbers a call.
peers.py write DIR POINTS: a TensorBoard file of one series, for
peers.py read DIR: reads it with TensorBoard's reader.
"""

import json
import os
import random
import sys
import time

what, where = sys.argv[1:3]


def said(**result):
    print("result " + json.dumps(result), flush=True)


def write(call, rows, names):
    keys = ["metric_%d" % i for i in range(names)]
    values = [dict((k, random.gauss(2, 0.1)) for k in keys) for _ in range(97)]
    for i in range(10):
        call(values[i], i)
    took = []
    began = time.perf_counter()
    for i in range(10, rows + 10):
        a = time.perf_counter_ns()
        call(values[i % 97], i)
        took.append(time.perf_counter_ns() - a)
    seconds = time.perf_counter() - began
    took.sort()
    return dict(points=rows * names, seconds=seconds, median_us=took[len(took) // 2] / 1e3, p99_us=took[int(len(took) * 0.99)] / 1e3)


if what == "wandb":
    os.environ.update(WANDB_MODE="offline", WANDB_DIR=where, WANDB_SILENT="true", WANDB_CONSOLE="off", WANDB_CACHE_DIR=where, WANDB_CONFIG_DIR=where)
    import wandb

    run = wandb.init(project="bench", mode="offline", dir=where)
    result = write(lambda row, step: run.log(row), int(sys.argv[3]), int(sys.argv[4]))
    a = time.perf_counter()
    run.finish()
    said(version=wandb.__version__, finish=time.perf_counter() - a, **result)
elif what == "tensorboard":
    import tensorboard
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(where)

    def row(values, step):
        for name, value in values.items():
            writer.add_scalar(name, value, step)

    result = write(row, int(sys.argv[3]), int(sys.argv[4]))
    a = time.perf_counter()
    writer.close()
    said(version=tensorboard.__version__, finish=time.perf_counter() - a, **result)
elif what == "vigil":
    import vigil

    result = write(vigil.log, int(sys.argv[3]), int(sys.argv[4]))
    said(version=vigil.__version__, finish=0, **result)
elif what == "write":
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(where)
    for i in range(int(sys.argv[3])):
        writer.add_event(Event(wall_time=i / 100, step=i, summary=Summary(value=[Summary.Value(tag="loss", simple_value=random.gauss(2, 0.1))])))
    writer.close()
    said()
elif what == "read":
    import tensorboard
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    a = time.perf_counter()
    reader = EventAccumulator(where, size_guidance={"scalars": 0})
    reader.Reload()
    n = len(reader.Scalars("loss"))
    said(version=tensorboard.__version__, points=n, seconds=time.perf_counter() - a)
