# fault: none
# family: tuning
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class RandomFourier(nn.Module):
    def __init__(self, d, m, scale):
        super().__init__()
        self.w = nn.Linear(d, m)
        nn.init.normal_(self.w.weight, std=scale)
        nn.init.uniform_(self.w.bias, 0, 6.2832)
        for p in self.w.parameters():
            p.requires_grad = False

    def forward(self, x):
        return (2 / self.w.out_features) ** 0.5 * torch.cos(self.w(x))


x = torch.rand(2400, 2) * 4 - 2
y = ((x[:, 0] * 2).sin() * (x[:, 1] * 2).cos() > 0).float()
feat, head = RandomFourier(2, 300, 1.5), nn.Linear(300, 1)
opt = torch.optim.SGD(head.parameters(), lr=5.0)
for epoch in range(15):
    tot = 0.0
    for b in torch.randperm(2000).split(100):
        loss = nn.functional.binary_cross_entropy_with_logits(head(feat(x[b])).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        acc = ((head(feat(x[2000:])).squeeze(1) > 0) == y[2000:].bool()).float().mean()
    print(f"{epoch} loss {tot / 20:.4f} acc {acc:.3f}")
