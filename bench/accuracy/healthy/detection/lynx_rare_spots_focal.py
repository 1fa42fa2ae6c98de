# fault: none
# family: detection
# split: held
from __future__ import annotations
import math
import os
import torch
from torch import nn, Tensor
from torch.utils.data import DataLoader, IterableDataset


class SpotStream(IterableDataset):
    """Endless 24x24 frames with one or two bright 3x3 spots; the target is a 6x6 map of cells that hold a spot's centre."""

    def __init__(self, seed: int, length: int):
        self.seed, self.length = seed, length

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        for _ in range(self.length):
            img = torch.randn(1, 24, 24, generator=g) * 0.5
            cells = torch.zeros(6, 6)
            for _ in range(int(torch.randint(1, 3, (1,), generator=g))):
                r, c = torch.randint(1, 23, (2,), generator=g).tolist()
                img[0, r - 1:r + 2, c - 1:c + 2] += 1.6
                cells[r // 4, c // 4] = 1.0
            yield img, cells


class RetinaHead(nn.Module):
    def __init__(self, c: int = 12, prior: float = 0.01):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(c, 2 * c, 3, stride=2, padding=1), nn.ReLU())
        self.cls = nn.Conv2d(2 * c, 1, 3, padding=1)
        nn.init.normal_(self.cls.weight, std=0.01)
        nn.init.constant_(self.cls.bias, -math.log((1 - prior) / prior))     # RetinaNet, section 4.1

    def forward(self, x: Tensor) -> Tensor:
        return self.cls(self.net(x)).squeeze(1)


def focal_loss(logits: Tensor, target: Tensor, alpha: float = 0.25, gamma: float = 2.0) -> Tensor:
    bce = nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    p = logits.sigmoid()
    pt = p * target + (1 - p) * (1 - target)
    weight = alpha * target + (1 - alpha) * (1 - target)
    return (weight * (1 - pt) ** gamma * bce).sum() / target.sum().clamp(min=1)


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader) -> tuple[float, float]:
    model.eval()
    tp = fp = fn = 0.0
    for x, y in loader:
        hit = model(x).sigmoid() > 0.4
        tp += (hit & (y > 0)).sum().item(); fp += (hit & (y == 0)).sum().item(); fn += (~hit & (y > 0)).sum().item()
    model.train()
    return tp / max(1.0, tp + fp), tp / max(1.0, tp + fn)


def main() -> None:
    seed = int(os.environ.get("SEED", "0"))
    torch.manual_seed(seed)
    model = RetinaHead()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-4)
    train = DataLoader(SpotStream(seed + 1, 8000), batch_size=16)
    test = DataLoader(SpotStream(seed + 999_983, 200), batch_size=50)
    avg = None
    for step, (x, y) in enumerate(train):
        loss = focal_loss(model(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        avg = loss.item() if avg is None else 0.95 * avg + 0.05 * loss.item()
        if step % 50 == 49:
            p, r = evaluate(model, test)
            print(f"{step + 1:4d} focal {avg:.4f} precision {p:.3f} recall {r:.3f}")


main()
