package main

// The files of somebody who begins: a script with a mistake, the same one
// mended, and a rule of their own.

// faulty is an ordinary classifier that never clears its gradients.
const faulty = `import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
centres = 0.8 * torch.randn(5, 16)
labels = torch.randint(0, 5, (2000,))
inputs = centres[labels] + torch.randn(2000, 16)
loader = DataLoader(TensorDataset(inputs, labels), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for epoch in range(3):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
`

// The mistake in it, and the line that is missing.
const (
	faultyLine  = "        loss.backward()\n"
	mendedLines = "        optimizer.zero_grad()\n" + faultyLine
)

// ownRules are two rules, one in a line and one in Python; both fire on a
// training that learns, as information.
const ownRules = `rule:
  - rule: halved
    expression: series("loss").mean(10) < 0.5 * series("loss").first()
    severity: info
    message: The loss has halved by step {step}.
  - rule: below_one
    source: my_rules.py
    severity: info
`

const ownClass = `from vigil.rules import Rule, modes


class BelowOne(Rule):
    """The loss is below 1."""

    def invoke_at_step(self, step):
        loss = self.base_trial.tensor("loss")
        if self.base_trial.mode(step) != modes.TRAIN:
            return False
        now = loss.value(self.base_trial.mode_step(step), mode=modes.TRAIN)
        if now < 1:
            self.finding("The loss is below 1.", subject="loss", observed=now, threshold=1.0, comparator="<")
`
