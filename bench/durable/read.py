"""Prints the steps whose loss a peer has, read back by its own reader: read.py PEER OUT, one JSON list."""

import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "overhead"))
import captured


def wandb(out):
    from wandb.proto import wandb_internal_pb2

    steps = []
    for path in glob.glob(os.path.join(out, "wandb", "offline-run-*", "run-*.wandb")):
        for data in captured.records(path):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            steps += [int(i.value_json) for i in record.history.item if (i.key or i.nested_key[0]) == "at"]
    return steps


def tensorboard(out):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(os.path.join(out, "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    return [e.step for e in events.Scalars("loss")] if "loss" in events.Tags()["scalars"] else []


def smdebug(out):
    from smdebug.trials import create_trial

    trial = create_trial(os.path.join(out, "smdebug"))
    tensor = trial.tensor("CrossEntropyLoss_output_0")
    return [s for s in tensor.steps(show_incomplete_steps=True) if tensor.value(s) is not None]


print("\n" + json.dumps(sorted({"wandb": wandb, "tensorboard": tensorboard, "smdebug": smdebug}[sys.argv[1]](sys.argv[2]))))
