# fault: loss-misused
# cause_class: loss
# family: contrastive
# split: held
"""CLIP-like alignment of radar patches and optical patches of the same place."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

CONF = dict(batch=96, steps=200, dim=24, temperature=0.05, lr=1e-3, latent=10)
torch.manual_seed(int(os.environ.get("SEED", 0)))


class World:
    """shared scene code, two sensors with their own mixing, speckle and nuisance"""

    def __init__(self, k):
        self.k = k
        self.a1, self.a2 = torch.randn(k, 40), torch.randn(k, 40)
        self.b1, self.b2 = torch.randn(k, 40), torch.randn(k, 40)

    def draw(self, n):
        z = torch.randn(n, self.k)
        radar = torch.tanh(z @ self.a1 * 0.4) + 0.3 * torch.randn(n, self.k) @ self.a2 * 0.4
        optic = torch.sin(z @ self.b1 * 0.35) + 0.3 * torch.randn(n, self.k) @ self.b2 * 0.4
        return radar + 0.2 * torch.randn_like(radar), optic + 0.2 * torch.randn_like(optic)


def tower(i, o):
    return nn.Sequential(nn.Linear(i, 96), nn.GELU(), nn.LayerNorm(96), nn.Linear(96, 96), nn.GELU(), nn.Linear(96, o))


class Aligner(nn.Module):
    def __init__(self, dim, temperature):
        super().__init__()
        self.radar, self.optic = tower(40, dim), tower(40, dim)
        self.temperature = temperature

    def embed(self, r, o):
        return F.normalize(self.radar(r), dim=-1), F.normalize(self.optic(o), dim=-1)

    def forward(self, r, o):
        zr, zo = self.embed(r, o)
        logits = zr @ zo.t() * self.temperature
        y = torch.arange(len(r))
        return 0.5 * (F.cross_entropy(logits, y) + F.cross_entropy(logits.t(), y))


world = World(CONF["latent"])
val = world.draw(256)
model = Aligner(CONF["dim"], CONF["temperature"])
opt = torch.optim.AdamW(model.parameters(), lr=CONF["lr"], weight_decay=0.01)
warm = torch.optim.lr_scheduler.LinearLR(opt, 0.1, 1.0, 30)
for step in range(1, CONF["steps"] + 1):
    loss = model(*world.draw(CONF["batch"]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
    if step % 50 == 0 or step == 1:
        model.eval()
        with torch.no_grad():
            zr, zo = model.embed(*val)
            hit = ((zr @ zo.t()).argmax(1) == torch.arange(256)).float().mean().item()
        model.train()
        print(f"step {step:4d}  nce {loss.item():.3f}  retrieval@1 of 256: {hit:.3f}")
