# fault: init-too-small
# cause_class: initialisation
# family: mlp
# split: held
# twin: healthy/mlp/orbits_init.py
import os
from typing import Iterator, Tuple

import torch
from torch import Tensor, nn, optim


def init_weights(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, mean=0.0, std=1e-4)
        nn.init.zeros_(module.bias)


def make_data(n: int) -> Tuple[Tensor, Tensor]:
    label = torch.randint(0, 3, (n,))
    radius = 0.6 + 0.7 * label + 0.12 * torch.randn(n)
    angle = 6.2832 * torch.rand(n)
    xy = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return torch.cat([xy, 0.3 * torch.randn(n, 4)], dim=1), label


def batches(x: Tensor, y: Tensor, size: int) -> Iterator[Tuple[Tensor, Tensor]]:
    for idx in torch.randperm(len(x)).split(size):
        yield x[idx], y[idx]


def main() -> None:
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    x, y = make_data(2000)
    vx, vy = make_data(500)
    net = nn.Sequential(nn.Linear(6, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 3))
    net.apply(init_weights)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(12):
        losses = []
        for bx, by in batches(x, y, 40):
            optimizer.zero_grad()
            loss = criterion(net(bx), by)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        with torch.no_grad():
            out = net(vx)
        print(f"epoch {epoch:>2} train {sum(losses) / len(losses):.4f} val {criterion(out, vy).item():.4f} acc {(out.argmax(1) == vy).float().mean().item():.3f}")


if __name__ == "__main__":
    main()
