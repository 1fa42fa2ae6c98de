# fault: none
# family: multitask
# split: held
from dataclasses import dataclass
import os
import torch
from torch import nn, Tensor


@dataclass
class Batch:
    x: Tensor
    price: Tensor
    sold: Tensor
    region: Tensor


def make(n: int, centers: Tensor) -> Batch:
    region = torch.randint(0, 4, (n,))
    x = centers[region] + torch.randn(n, 10)
    price = 0.6 * x[:, 0] + 0.4 * torch.tanh(x[:, 1] * x[:, 2]) + 0.1 * torch.randn(n)
    sold = (x[:, 3] - price + 0.3 * torch.randn(n) > 0).float()
    return Batch(x, price, sold, region)


class Shared(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.price, self.sold, self.region = nn.Linear(32, 1), nn.Linear(32, 1), nn.Linear(32, 4)

    def forward(self, x: Tensor):
        h = self.trunk(x)
        return self.price(h).squeeze(1), self.sold(h).squeeze(1), self.region(h)


def losses(model: Shared, b: Batch):
    p, s, r = model(b.x)
    return nn.functional.mse_loss(p, b.price), nn.functional.binary_cross_entropy_with_logits(s, b.sold), nn.functional.cross_entropy(r, b.region)


torch.manual_seed(int(os.environ.get("SEED", 0)))
centers = torch.randn(4, 10)
valid = make(500, centers)
model = Shared()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(1, 601):
    a, b, c = losses(model, make(48, centers))
    opt.zero_grad()
    (2 * a + b + 0.5 * c).backward()
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            v = losses(model, valid)
            acc = (model(valid.x)[2].argmax(1) == valid.region).float().mean().item()
        print(f"step {step} price {a.item():.4f} sold {b.item():.4f} region {c.item():.4f} | val {v[0].item():.4f} {v[1].item():.4f} {v[2].item():.4f} region acc {acc:.3f}")
