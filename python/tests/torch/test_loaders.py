"""The epoch of each update of small trainings, whatever they do with their loaders, is the one that the script counts (e2e/scripts/loaders.py)."""

import json
import os
import subprocess
import sys
import tempfile

import collector
import pytest
from with_and_without_vigil import settle

HERE = os.path.dirname(os.path.abspath(__file__))
OFF = {"off": True}
STYLES = [
    "plain", "while_next", "nested", "left_early", "left_early_always_there", "progress_bar", "together", "endless", "cached", "validated",
    "validated_with_a_batch_in_hand", "validated_between", "accumulated", "accumulated_to_the_end", "in_turn", "chained", "one_after_another",
    "with_another_that_goes_on", "without_a_length", "one_ahead", "by_another_thread", "made_again", "looked_at", "by_hand", "two_optimisers",
    "labels_by_the_model", "trained_in_evaluation_mode",
]  # fmt: skip
SEEDS = int(os.environ.get("SEEDS", "2"))

# With statistics due now and then the fast path is entered and left in the middle of epochs.
SCHEDULES = [{"every": 97}, {"every": 7}, {"every": 1 << 30, "steps": [9, 25, 26, 60, 61, 62, 110, 163, 164, 231, 257]}]


def epochs_of(facts, steps):
    """The epoch of each step, as docs/formats/facts.md has it."""
    out, stretches = [], facts["stretches"]
    for step in range(steps):
        known = [s for s in stretches if s["at"] <= step]
        if not known or step >= facts.get("until", 1 << 60):
            out.append(None)
            continue
        s = known[-1]
        out.append(s["number"] + ((step - s["at"]) // s["updates"] if s["updates"] else 0))
    return out


def trained(cases, schedule):
    """{case: (the epochs that the script counts, its run)}"""
    directory = tempfile.mkdtemp(prefix="vg")
    agent = collector.Collector(os.path.join(directory, "s"), schedule={"TRAIN": schedule, "EVAL": OFF, "PREDICT": OFF, "GLOBAL": OFF})
    try:
        env = collector.environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1", OMP_NUM_THREADS="1")
        done = subprocess.run([sys.executable, os.path.join(HERE, "small_loaders.py")] + cases, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode == 0, done.stderr
        settle(agent)
        runs = {run.hello["pid"]: run for run in agent.runs}
        out = {}
        for line in done.stdout.splitlines():
            case, pid, log = line.split(" ", 2)
            out[case] = json.loads(log), runs[int(pid)]
        return out
    finally:
        agent.die()


@pytest.mark.parametrize("number", range(len(SCHEDULES)))
def test_epochs_are_those_of_the_script(number):
    cases = ["%s:%d" % (style, seed * len(SCHEDULES) + number) for style in STYLES for seed in range(SEEDS)]
    wrong = []
    for case, (log, run) in trained(cases, SCHEDULES[number]).items():
        facts = run.facts.get("epochs") or {"stretches": []}
        found = epochs_of(facts, len(log))
        if found != log:
            at = next(i for i, (a, b) in enumerate(zip(found, log)) if a != b)
            wrong.append("%s: update %d of %d is of epoch %s, and not of %s; %s" % (case, at, len(log), log[at], found[at], facts))
    assert not wrong, "\n".join(wrong)
