# fault: none
# family: transformer
# split: held
"""Which of six symbols is the most frequent one in the string?"""
from __future__ import annotations

import os
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Config:
    vocab: int = 6
    length: int = 15
    dim: int = 32
    heads: int = 4
    layers: int = 2
    batch: int = 64
    steps: int = 500
    lr: float = 1e-3
    seed: int = int(os.environ.get("SEED", 0))


def batch(cfg: Config) -> tuple[Tensor, Tensor]:
    y = torch.randint(cfg.vocab, (cfg.batch,))
    x = torch.randint(cfg.vocab, (cfg.batch, cfg.length))
    mask = torch.rand(cfg.batch, cfg.length) < 0.45
    x = torch.where(mask, y[:, None], x)
    return x, torch.nn.functional.one_hot(x, cfg.vocab).sum(1).argmax(1)


class Model(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Parameter(0.02 * torch.randn(cfg.length, cfg.dim))
        layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 2 * cfg.dim, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False)
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.enc(self.emb(x) + self.pos).mean(1))


def main() -> None:
    cfg = Config()
    torch.manual_seed(cfg.seed)
    model = Model(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    criterion = nn.CrossEntropyLoss()
    for step in range(1, cfg.steps + 1):
        x, y = batch(cfg)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            model.eval()
            with torch.no_grad():
                vx, vy = batch(cfg)
                out = model(vx)
                print(f"{step:4d} train {loss.item():.4f} val {criterion(out, vy).item():.4f} acc {(out.argmax(1) == vy).float().mean().item():.3f}")
            model.train()


if __name__ == "__main__":
    main()
