"""Without the look facts are not read; what is captured is the same."""

import pytest

SECTIONS = {"network", "graph", "predictions", "inputs", "parameters", "updates", "evaluation", "eval_trained", "eval_parts", "astray", "unfrozen", "averages", "schedule"}
SCRIPT = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 3))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.CrossEntropyLoss()
x, y = torch.randn(10, 4, 6), torch.randint(3, (10, 4))
for epoch in range(4):
    for i in range(10):
        optimiser.zero_grad()
        loss(model(x[i]), y[i]).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    model.eval()
    with torch.no_grad():
        loss(model(x[0]), y[0])
    model.train()
"""


@pytest.fixture(scope="module")
def two(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("look") / "script.py"
    path.write_text(SCRIPT)
    return trained(str(path)), trained(str(path), env={"VIGIL_LOOK": "0"})


def test_facts(two):
    looked, not_looked = (t.run.facts for t in two)
    assert SECTIONS - {"eval_trained", "eval_parts", "astray", "unfrozen", "averages", "predictions"} <= set(looked) and "look" not in looked
    assert not_looked["look"] is False and not SECTIONS & set(not_looked) and not_looked["labels"] is None
    assert not_looked["model"]["class"] == "Sequential" and not_looked["optimiser"]["class"] == "SGD"


def test_captured(two):
    """The same steps, losses and tensors, and the same weights."""
    looked, not_looked = (t.run for t in two)
    for mode in (0, 1):
        assert looked.series("loss", mode) == not_looked.series("loss", mode)
    assert [(s.number, s.mode) for s in looked.steps] == [(s.number, s.mode) for s in not_looked.steps]
    assert looked.names() == not_looked.names()
    assert two[0].digest == two[1].digest == two[1].plain_digest
