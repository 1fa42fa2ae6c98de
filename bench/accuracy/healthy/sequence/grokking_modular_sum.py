# fault: none
# family: sequence
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.05
# reaches: 0.9
# Unusual: train accuracy is perfect early (loss 1e-3) while held-out accuracy creeps up for a thousand more steps under strong weight decay
import argparse
import os

import torch
from torch import nn


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--p", type=int, default=23)
    ap.add_argument("--steps", type=int, default=1900)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--wd", type=float, default=1.0)
    ap.add_argument("--frac", type=float, default=0.55)
    args = ap.parse_args()
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    p = args.p
    a, b = torch.meshgrid(torch.arange(p), torch.arange(p), indexing="ij")
    pairs = torch.stack([a.flatten(), b.flatten()], 1)
    label = (pairs[:, 0] + pairs[:, 1]) % p
    order = torch.randperm(p * p)
    k = int(args.frac * p * p)
    tr, te = order[:k], order[k:]

    class Net(nn.Module):
        def __init__(self, d=48, h=128):
            super().__init__()
            self.emb = nn.Embedding(p, d)
            self.up = nn.Linear(d, h)
            self.down = nn.Linear(h, p)

        def forward(self, ab):
            return self.down(torch.relu(self.up(self.emb(ab).sum(1))))

    net = Net()
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=args.wd, betas=(0.9, 0.98))
    acc = lambda i: (net(pairs[i]).argmax(1) == label[i]).float().mean().item()
    for step in range(args.steps + 1):
        loss = nn.functional.cross_entropy(net(pairs[tr]), label[tr])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if step % 100 == 0:
            with torch.no_grad():
                print(f"step {step} loss {loss.item():.4f} train acc {acc(tr):.3f} held-out acc {acc(te):.3f}")
    with torch.no_grad():
        print(f"result: accuracy {acc(te):.4f}")


if __name__ == "__main__":
    main()
