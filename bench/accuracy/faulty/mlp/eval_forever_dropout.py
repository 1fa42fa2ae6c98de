# fault: train-in-eval-mode
# cause_class: eval-mode
# family: mlp
# split: tune
# twin: healthy/twins/eval_forever_dropout.py
"""Trains, checks after every epoch."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16, 80)
        self.bn = nn.BatchNorm1d(80)
        self.drop = nn.Dropout(0.3)
        self.fc2 = nn.Linear(80, 6)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.bn(self.fc1(x)))))


cent = torch.randn(6, 16)
y = torch.randint(6, (1800,))
x = cent[y] + torch.randn(1800, 16)
model = Model()
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
model.train()
for epoch in range(8):
    for i in range(0, 1500, 50):
        opt.zero_grad()
        loss = loss_fn(model(x[i:i + 50]), y[i:i + 50])
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        logits = model(x[1500:])
        print(epoch, loss.item(), loss_fn(logits, y[1500:]).item(), (logits.argmax(1) == y[1500:]).float().mean().item())
