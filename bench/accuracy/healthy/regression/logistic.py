# fault: none
# family: regression
# split: tune
# Logistic regression: a single linear layer with BCEWithLogitsLoss, full batches, no hidden layer.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class LogisticRegression(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.linear = nn.Linear(d, 1)

    def forward(self, x):
        return self.linear(x).squeeze(-1)


d = 30
x = torch.randn(569, d)
coef = torch.randn(d)
y = torch.bernoulli(torch.sigmoid(x @ coef))

model = LogisticRegression(d)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, weight_decay=1e-3)
losses = []
for epoch in range(150):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
acc = ((model(x) > 0) == (y > 0.5)).float().mean()
print(f"accuracy {acc:.3f}")
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
