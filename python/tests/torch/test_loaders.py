"""The epoch of each update of small trainings, whatever they do with their loaders, is the one that the script counts (e2e/scripts/loaders.py)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import collector
from with_and_without_vigil import settle

HERE = os.path.dirname(os.path.abspath(__file__))
OFF = {"off": True}
STYLES = [
    "plain", "while_next", "nested", "left_early", "left_early_always_there", "progress_bar", "together", "endless", "cached", "validated",
    "validated_with_a_batch_in_hand", "validated_between", "accumulated", "accumulated_to_the_end", "in_turn", "chained", "one_after_another",
    "with_another_that_goes_on", "without_a_length", "one_ahead", "by_another_thread", "made_again", "looked_at", "by_hand", "two_optimisers",
    "labels_by_the_model", "trained_in_evaluation_mode",
]  # fmt: skip

# With statistics due now and then the fast path is entered and left in the middle of epochs.
SCHEDULES = [{"every": 97}, {"every": 7}, {"every": 1 << 30, "steps": [9, 25, 26, 60, 61, 62, 110, 163, 164, 231, 257]}]


class Varied(collector.Collector):
    """Every run has another schedule than the one before."""

    def _plan(self, run, version):
        schedule = SCHEDULES[self.runs.index(run) % len(SCHEDULES)]
        self.schedule = {"TRAIN": schedule, "EVAL": OFF, "PREDICT": OFF, "GLOBAL": OFF}
        return super()._plan(run, version)


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


def trained(cases):
    """[(case, the epochs that the script counts, its run)]"""
    directory = tempfile.mkdtemp(prefix="vg")
    agent = Varied(os.path.join(directory, "s"))
    try:
        env = collector.environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1", OMP_NUM_THREADS="1")
        argv = [sys.executable, os.path.join(HERE, "small_loaders.py")] + cases
        done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode == 0, done.stderr
        settle(agent)
        runs = {run.hello["pid"]: run for run in agent.runs}
        lines = [line.split(" ", 2) for line in done.stdout.splitlines()]
        return [(case, json.loads(log), runs[int(pid)]) for case, pid, log in lines]
    finally:
        agent.die()
        shutil.rmtree(directory, ignore_errors=True)


def test_epochs_are_those_of_the_script():
    wrong = []
    runs = trained(["%s:%d" % (style, seed) for seed, style in enumerate(STYLES)])
    for case, log, run in runs:
        facts = run.facts.get("epochs") or {"stretches": []}
        found = epochs_of(facts, len(log))
        if found != log:
            at = next(i for i, (a, b) in enumerate(zip(found, log)) if a != b)
            wrong.append("%s: update %d of %d is of epoch %s, and not of %s; %s" % (case, at, len(log), log[at], found[at], facts))
    assert not wrong, "\n".join(wrong)
    assert len(runs) == len(STYLES)
