"""Two networks that take turns; prints how many hooks of ours PyTorch calls for each module after the steps."""

import torch
from torch import nn
from torch.nn.modules import module

made, judge = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
ours, theirs = torch.optim.Adam(judge.parameters()), torch.optim.Adam(made.parameters())
loss = nn.BCEWithLogitsLoss()
for _ in range(5):
    ours.zero_grad()
    (loss(judge(torch.randn(4, 8)), torch.ones(4, 1)) + loss(judge(made(torch.randn(4, 4)).detach()), torch.zeros(4, 1))).backward()
    ours.step()
    theirs.zero_grad()
    loss(judge(made(torch.randn(4, 4))), torch.ones(4, 1)).backward()
    theirs.step()
print(len(module._global_forward_pre_hooks) + len(module._global_forward_hooks))
