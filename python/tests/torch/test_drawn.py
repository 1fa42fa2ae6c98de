"""Actions that a policy's loss is about, and those that the script holds."""

import collections

import pytest
import torch

from vigil._torch import drawn, policy

POLICY, X = torch.nn.Linear(6, 4), torch.randn(64, 6)
TAKEN = torch.randint(0, 4, (64,))
OTHERS = (TAKEN + torch.randint(0, 2, (64,))) % 4
Batch = collections.namedtuple("Batch", "obs actions")


def of(picked, count=64, **held):
    loss = torch.distributions.Categorical(logits=POLICY(X)).log_prob(picked).sum()
    frame = type("Frame", (), {"f_code": compile("", "script.py", "exec"), "f_locals": held})
    return drawn.anew(policy._through(loss.grad_fn.next_functions[0][0]), count, [frame])


@pytest.mark.parametrize(
    "held,found",
    [
        ({"actions": OTHERS}, True),
        ({"acts": list(OTHERS.split(32))}, True),
        ({"rollout": {"a": OTHERS.numpy()}}, True),
        ({"actions": TAKEN}, False),
        ({"actions": OTHERS, "chosen": TAKEN}, False),
        ({"actions": 2.0 * TAKEN - 1}, False),  # what the environment calls them
        ({"actions": TAKEN % 2}, False),  # coarser
        ({"actions": TAKEN[torch.randperm(64)]}, False),  # another order
        ({"action": OTHERS, "b_actions": torch.randint(0, 4, (256,))}, False),  # a batch of these
        ({"action": OTHERS, "memory": Batch(X, torch.randint(0, 4, (256,)))}, False),
        ({"action": OTHERS[:32]}, False),
        ({"labels": OTHERS}, False),
        ({}, False),
    ],
)
def test_anew(held, found):
    assert of(TAKEN, **held) is found
