# fault: none
# family: transformer
# split: tune
# Mixture of experts with top-1 routing and a balance loss: at some steps an expert gets no token and no gradient.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class MoE(nn.Module):
    def __init__(self, d, experts):
        super().__init__()
        self.gate = nn.Linear(d, experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d)) for _ in range(experts)
        )

    def forward(self, x):
        probs = F.softmax(self.gate(x), -1)
        weight, pick = probs.max(-1)
        out = torch.zeros_like(x)
        for k, expert in enumerate(self.experts):
            rows = (pick == k).nonzero().squeeze(-1)
            if len(rows):
                out = out.index_add(0, rows, weight[rows, None] * expert(x[rows]))
        share = F.one_hot(pick, len(self.experts)).float().mean(0)
        aux = len(self.experts) * (share * probs.mean(0)).sum()
        return x + out, aux


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(8, 24)
        self.moe = MoE(24, 6)
        self.out = nn.Linear(24, 4)

    def forward(self, x):
        h, aux = self.moe(torch.relu(self.inp(x)))
        return self.out(h), aux


centres = torch.randn(4, 3, 8) * 1.5
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
trace = []
for step in range(250):
    y = torch.randint(0, 4, (24,))
    x = centres[y, torch.randint(0, 3, (24,))] + 0.5 * torch.randn(24, 8)
    logits, aux = net(x)
    task = F.cross_entropy(logits, y)
    loss = task + 0.01 * aux
    opt.zero_grad()
    loss.backward()
    opt.step()
    trace.append(loss.item())
print(f"loss first {trace[0]:.4f} last {trace[-1]:.4f}")
