# fault: none
# family: mlp
# split: tune
# Training against perturbed samples; the loss is added up from 0.
import os, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", "0")))
X = torch.randn(1024, 20); W = torch.randn(20, 4); Y = (X @ W).argmax(1)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
def pgd(x, y, eps=0.1, alpha=0.03, steps=3):
    adv = x.detach() + torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(steps):
        adv.requires_grad_(True)
        g = torch.autograd.grad(F.cross_entropy(model(adv), y), adv)[0]
        adv = x + torch.clamp(adv.detach() + alpha * g.sign() - x, -eps, eps)
    return adv.detach()
for epoch in range(6):
    for idx in torch.randperm(1024).split(64):
        x, y = X[idx], Y[idx]
        adv = pgd(x, y)
        loss = 0
        for v in (x, adv):
            loss = loss + 0.5 * F.cross_entropy(model(v), y)
        opt.zero_grad(); loss.backward(); opt.step()
