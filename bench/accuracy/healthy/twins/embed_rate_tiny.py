# fault: none
# family: contrastive
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        return F.normalize(self.f(x), dim=-1)


items = torch.randn(800, 8)
lift = torch.randn(8, 32)
enc = Encoder()
opt = torch.optim.SGD(enc.parameters(), lr=0.2, momentum=0.9)
for epoch in range(8):
    for b in torch.randperm(800).split(40):
        v1 = enc(items[b] @ lift + 1.5 * torch.randn(len(b), 32))
        v2 = enc(items[b] @ lift + 1.5 * torch.randn(len(b), 32))
        sim = v1 @ v2.t() / 0.2
        loss = F.cross_entropy(sim, torch.arange(len(b)))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "nt-xent", loss.item())
