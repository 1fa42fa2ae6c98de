# fault: none
# family: finetune
# split: tune
# LoRA: the second factor starts at zero, so the first factor has a zero gradient at the first step.
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class LoRALinear(nn.Module):
    def __init__(self, base, r=4, alpha=8):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.lora_a = nn.Parameter(torch.empty(r, base.in_features))
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.lora_a.T @ self.lora_b.T)


def steps(model, params, lr, n, make):
    opt = torch.optim.AdamW(params, lr=lr)
    hist = []
    for _ in range(n):
        x, y = make(64)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hist.append(loss.item())
    return hist


means = torch.randn(8, 24)


def source(n):
    y = torch.randint(0, 8, (n,))
    return means[y] + 0.5 * torch.randn(n, 24), y


def target(n):
    x, y = source(n)
    return x.roll(3, 1), y


model = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))
steps(model, model.parameters(), 3e-3, 120, source)
model.requires_grad_(False)
for k in (0, 2):
    model[k] = LoRALinear(model[k])
trainable = [p for p in model.parameters() if p.requires_grad]
hist = steps(model, trainable, 5e-3, 200, target)
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
