# fault: loss-misused
# cause_class: loss
# family: contrastive
# split: held
import os
from dataclasses import dataclass, field
import torch
from torch import Tensor, nn
import torch.nn.functional as F


@dataclass
class ClipConfig:
    image_dim: int = 64
    vocab: int = 140
    words: int = 8
    embed: int = 12
    temperature: float = 0.07
    batch: int = 64
    steps: int = 400
    lr: float = 1e-3
    seed: int = field(default_factory=lambda: int(os.environ.get("SEED", "0")))


class Pairs:
    """A picture is a noisy linear view of three objects, its caption names them among filler words."""

    def __init__(self, cfg: ClipConfig, n_objects: int = 80):
        self.cfg, self.n = cfg, n_objects
        self.look = torch.randn(n_objects, cfg.image_dim)

    def sample(self, size: int) -> tuple[Tensor, Tensor]:
        objects = torch.stack([torch.randperm(self.n)[:3] for _ in range(size)])
        image = self.look[objects].sum(1) / 3 ** 0.5 + 0.6 * torch.randn(size, self.cfg.image_dim)
        filler = torch.randint(self.n, self.cfg.vocab, (size, self.cfg.words - 3))
        return image, torch.cat([objects, filler], 1)


class TwoTower(nn.Module):
    def __init__(self, cfg: ClipConfig):
        super().__init__()
        self.temperature = cfg.temperature
        self.image = nn.Sequential(nn.Linear(cfg.image_dim, 128), nn.GELU(), nn.Linear(128, cfg.embed))
        self.tokens = nn.Embedding(cfg.vocab, 64)
        self.text = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 128), nn.GELU(), nn.Linear(128, cfg.embed))

    def forward(self, image: Tensor, caption: Tensor) -> Tensor:
        i = F.normalize(self.image(image), dim=-1)
        t = F.normalize(self.text(self.tokens(caption).mean(1)), dim=-1)
        return i @ t.T * self.temperature


def symmetric_cross_entropy(logits: Tensor) -> Tensor:
    target = torch.arange(logits.shape[0])
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2


def train(cfg: ClipConfig) -> None:
    torch.manual_seed(cfg.seed)
    pairs = Pairs(cfg)
    test = pairs.sample(128)
    model = TwoTower(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.01)
    for step in range(cfg.steps + 1):
        loss = symmetric_cross_entropy(model(*pairs.sample(cfg.batch)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            with torch.no_grad():
                logits = model(*test)
            r1 = (logits.argmax(1) == torch.arange(128)).float().mean()
            print(f"step {step:4d}  loss {loss.item():.4f}  R@1 {r1.item():.3f}")


if __name__ == "__main__":
    train(ClipConfig())
