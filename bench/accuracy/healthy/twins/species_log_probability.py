# fault: none
# family: mlp
# split: tune
"""Three species from measurements, with the likelihood written out."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
kind = torch.randint(0, 3, (900,))
size = torch.randn(900, 6) + kind[:, None] * torch.tensor([1.0, -1.0, 0.5, 0.0, 0.3, 0.0])
model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(8):
    for i in torch.randperm(900).split(30):
        logp = torch.log_softmax(model(size[i]), dim=1)
        loss = -logp[torch.arange(len(i)), kind[i]].mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
