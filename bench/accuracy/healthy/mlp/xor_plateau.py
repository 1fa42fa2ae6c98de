# fault: none
# family: mlp
# split: tune
# XOR with few hidden units: the loss stands near log 2 for many steps, then falls.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class XorNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


bits = torch.randint(0, 2, (512, 2)).float()
target = (bits[:, :1] != bits[:, 1:]).float()
inputs = bits * 2 - 1 + 0.1 * torch.randn(512, 2)

net = XorNet()
with torch.no_grad():
    for p in net.parameters():
        p.mul_(0.5)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.9)

history = []
for step in range(400):
    batch = torch.randint(0, 512, (64,))
    optimizer.zero_grad()
    loss = criterion(net(inputs[batch]), target[batch])
    loss.backward()
    optimizer.step()
    history.append(loss.item())
    if step % 50 == 0:
        print(f"step {step} loss {loss.item():.4f}")
print(f"loss first {history[0]:.4f} last {history[-1]:.4f}")
