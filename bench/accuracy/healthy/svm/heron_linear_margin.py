# fault: none
# family: svm
# split: held
import argparse
import os

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--C", type=float, default=10.0)
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
a = parser.parse_args([])
torch.manual_seed(a.seed)

# two separable clouds in 15 dimensions; the hinge reaches zero for nearly all points
normal = torch.nn.functional.normalize(torch.randn(15), dim=0)
x = torch.randn(1200, 15)
y = torch.where(torch.rand(1200) < 0.5, 1.0, -1.0)
x = x - (x @ normal).unsqueeze(1) * normal + (y * (0.7 + 0.5 * torch.randn(1200).abs())).unsqueeze(1) * normal
train, test = slice(0, 1000), slice(1000, None)

w = torch.zeros(15, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
step = 0
for epoch in range(a.epochs):
    total = 0.0
    for idx in torch.randperm(1000).split(25):
        margin = y[train][idx] * (x[train][idx] @ w + b)
        hinge = (1 - margin).clamp(min=0).mean()
        loss = hinge + w.square().sum() / (2 * a.C * 100)
        loss.backward()
        with torch.no_grad():
            rate = a.lr / (1 + 0.01 * step)
            for p in (w, b):
                p -= rate * p.grad
                p.grad.zero_()
        step += 1
        total += hinge.item() / 40
    if epoch % 4 == 0 or epoch == a.epochs - 1:
        with torch.no_grad():
            ok = (torch.sign(x[test] @ w + b) == y[test]).float().mean()
            cos = torch.nn.functional.cosine_similarity(w, normal, dim=0)
        print(f"epoch {epoch} hinge {total:.4f} accuracy {ok.item():.3f} |w| {w.norm().item():.2f} cos {cos.item():.3f}")
