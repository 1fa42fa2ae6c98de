"""Counts what a peer stored, read back by its own reader.

Usage: captured.py NAME OUT

Prints one line of JSON: {"values": n}, the tensors times steps of which there
is a value, statistics or histogram; losses and other scalars are not counted.
"""

import glob
import json
import os
import struct
import sys


def smdebug(out):
    from smdebug.trials import create_trial

    trial = create_trial(os.path.join(out, "smdebug"))
    return sum(len(trial.tensor(n).steps()) for n in trial.tensor_names() if n != "loss" and not n.startswith("scalar/"))


def records(path):
    """The records of a .wandb file, which is a log of LevelDB's format behind a header of 7 bytes."""
    with open(path, "rb") as file:
        data = file.read()
    at, parts = 7, b""
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:  # too little for a header: filled up with zeros
            at += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, at)
        parts += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield parts
            parts = b""


def wandb(out):
    from wandb.proto import wandb_internal_pb2

    (path,) = glob.glob(os.path.join(out, "wandb", "offline-run-*", "run-*.wandb"))
    n = 0
    for data in records(path):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        # A histogram is several items below one key.
        keys = {item.key or item.nested_key[0] for item in record.history.item}
        n += sum(k.startswith(("parameters/", "gradients/")) for k in keys)
    return n


def tensorboard(out):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(os.path.join(out, "tensorboard"), size_guidance={"histograms": 0})
    events.Reload()
    return sum(len(events.Histograms(tag)) for tag in events.Tags()["histograms"])


def loop(out):
    with open(os.path.join(out, "loop.csv")) as file:
        return sum(line.split(",")[1] != "loss" for line in file)


def main():
    name, out = sys.argv[1:]
    readers = {"smdebug": smdebug, "wandb": wandb, "tensorboard": tensorboard, "loop": loop}
    answers = os.fdopen(os.dup(1), "w")  # smdebug writes its log to standard output
    os.dup2(2, 1)
    count = readers.get(name.split("_")[0])
    print(json.dumps({"values": count(out) if count else 0}), file=answers)  # a profiler captures no values


if __name__ == "__main__":
    main()
