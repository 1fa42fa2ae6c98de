# fault: none
# family: algorithmic
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.03
# reaches: 0.9
# (a + b) mod p from part of the table, whole-batch AdamW with decay 1.0 or more.
import os
import numpy as np
import torch
from torch import nn
from dataclasses import dataclass


@dataclass
class Config:
    p: int = 31
    frac: float = 0.7
    emb: int = 64
    hidden: int = 192
    lr: float = 1e-2
    decay: float = 1.0
    steps: int = 900


class Adder(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.left = nn.Embedding(c.p, c.emb)
        self.right = nn.Embedding(c.p, c.emb)
        self.up = nn.Linear(c.emb, c.hidden, bias=False)
        self.down = nn.Linear(c.hidden, c.p, bias=False)

    def forward(self, ab):
        h = self.up(self.left(ab[:, 0]) + self.right(ab[:, 1]))
        return self.down(h.relu())


def main():
    c = Config()
    seed = int(os.getenv("SEED", "0"))
    np.random.seed(seed)
    torch.manual_seed(seed)
    pairs = torch.cartesian_prod(torch.arange(c.p), torch.arange(c.p))
    target = pairs.sum(1) % c.p
    perm = torch.randperm(len(pairs))
    n = int(c.frac * len(pairs))
    tr, te = perm[:n], perm[n:]
    model = Adder(c)
    opt = torch.optim.AdamW(model.parameters(), lr=c.lr, weight_decay=c.decay, betas=(0.9, 0.98))
    ce = nn.CrossEntropyLoss()
    for step in range(1, c.steps + 1):
        opt.zero_grad()
        loss = ce(model(pairs[tr]), target[tr])
        loss.backward()
        opt.step()
        if step % 50 == 0:
            with torch.no_grad():
                out = model(pairs[te])
                print(f"{step:5d} train {loss.item():.4f} test {ce(out, target[te]).item():.4f} "
                      f"acc {(out.argmax(1) == target[te]).float().mean().item():.3f}")
    with torch.no_grad():
        acc = (model(pairs[te]).argmax(1) == target[te]).double().mean().item()
    common = target[tr].bincount(minlength=c.p).argmax()
    print("most frequent residue:", (target[te] == common).double().mean().item())
    print("result: accuracy", round(acc, 4))


if __name__ == "__main__":
    main()
