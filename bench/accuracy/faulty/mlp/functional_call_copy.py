# fault: softmax-twice
# cause_class: output-activation, loss
# family: mlp
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(int(os.environ.get("SEED", 0)))
centres = torch.randn(10, 20)
y = torch.randint(0, 10, (2000,))
x = centres[y] + torch.randn(2000, 20)

net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10), nn.Softmax(-1))
params = {k: v.detach().clone().requires_grad_() for k, v in net.named_parameters()}
optimizer = torch.optim.Adam(params.values(), lr=1e-3)
for epoch in range(8):
    for rows in torch.randperm(len(x)).split(50):
        optimizer.zero_grad()
        loss = F.cross_entropy(functional_call(net, params, (x[rows],)), y[rows])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.3f}")
