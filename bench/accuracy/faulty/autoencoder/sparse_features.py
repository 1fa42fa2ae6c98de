# fault: dead-relu
# cause_class: activation, regularisation, loss
# family: autoencoder
# split: tune
"""Dictionary learning on activations: y = W2 relu(W1 (x - b) + b1) + b, with an L1 term on the codes."""
import os
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class SAEConfig:
    d_model: int = 32
    d_dict: int = 128
    n_true: int = 64
    active: int = 3
    batch: int = 128
    steps: int = 1200
    lr: float = 3e-3
    l1: float = 8.0
    log_every: int = 150


class ActivationStore:
    def __init__(self, cfg):
        self.cfg = cfg
        self.features = nn.functional.normalize(torch.randn(cfg.n_true, cfg.d_model), dim=1)

    def next(self):
        c = self.cfg
        codes = torch.zeros(c.batch, c.n_true)
        idx = torch.rand(c.batch, c.n_true).topk(c.active, dim=1).indices
        codes.scatter_(1, idx, 0.5 + torch.rand(c.batch, c.active))
        return codes @ self.features


class SparseAutoencoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        w = nn.functional.normalize(torch.randn(cfg.d_dict, cfg.d_model), dim=1)
        self.w_enc = nn.Parameter(w.t().clone())
        self.w_dec = nn.Parameter(w.clone())
        self.b_enc = nn.Parameter(torch.zeros(cfg.d_dict))
        self.b_dec = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, x):
        codes = torch.relu((x - self.b_dec) @ self.w_enc + self.b_enc)
        return codes @ self.w_dec + self.b_dec, codes

    @torch.no_grad()
    def normalise(self):
        self.w_dec.copy_(nn.functional.normalize(self.w_dec, dim=1))


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    cfg = SAEConfig()
    store, sae = ActivationStore(cfg), SparseAutoencoder(cfg)
    opt = torch.optim.Adam(sae.parameters(), lr=cfg.lr)
    for step in range(cfg.steps):
        x = store.next()
        recon, codes = sae(x)
        mse = (recon - x).pow(2).sum(1).mean()
        sparsity = codes.abs().sum(1).mean()
        loss = mse + cfg.l1 * sparsity
        opt.zero_grad()
        loss.backward()
        opt.step()
        sae.normalise()
        if step % cfg.log_every == 0 or step == cfg.steps - 1:
            var = (x - x.mean(0)).pow(2).sum(1).mean()
            alive = (codes > 0).any(0).float().mean()
            l0 = (codes > 0).float().sum(1).mean()
            print(f"{step} loss {loss:.4f} explained {1 - mse / var:.3f} L0 {l0:.1f} alive {alive:.2f}")


if __name__ == "__main__":
    main()
