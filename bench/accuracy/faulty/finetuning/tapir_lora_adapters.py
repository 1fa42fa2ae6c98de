# fault: init-equal
# cause_class: initialisation, not-updated
# family: finetuning
# split: held
"""Adapt a network trained on one task to a rotated one with low-rank adapters only."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 4, alpha: int = 8):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad = False
        self.lora_A = nn.Parameter(torch.empty(r, base.in_features))
        self.lora_B = nn.Parameter(torch.empty(base.out_features, r))
        self.scaling = alpha / r
        self.reset_parameters()

    def reset_parameters(self):
        for w in (self.lora_A, self.lora_B):
            nn.init.zeros_(w)

    def forward(self, x):
        return self.base(x) + (x @ self.lora_A.T @ self.lora_B.T) * self.scaling


def inject(module):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, LoRALinear(child))
        else:
            inject(child)
    return module


W = torch.randn(16, 5)
shift = torch.linalg.qr(torch.randn(16, 16))[0]


def batch(n, adapted):
    x = torch.randn(n, 16)
    z = x @ (0.7 * shift + 0.3 * torch.eye(16)) if adapted else x
    return x, (torch.tanh(z) @ W).argmax(1)


def fit(model, steps, lr, adapted, every):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=0.0)
    ce = nn.CrossEntropyLoss()
    test = batch(800, adapted)
    for i in range(steps):
        x, y = batch(64, adapted)
        loss = ce(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if (i + 1) % every == 0:
            with torch.no_grad():
                acc = (model(test[0]).argmax(1) == test[1]).float().mean().item()
            print(f"  {i + 1:4d} loss {loss.item():.4f} accuracy {acc:.3f}")


net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
# stands in for a checkpoint: closed-form fit of the last layer
x, y = batch(4000, False)
with torch.no_grad():
    h = net[:4](x)
    h1 = torch.cat([h, torch.ones(len(h), 1)], 1)
    sol = torch.linalg.solve(h1.T @ h1 + 1e-2 * torch.eye(65), h1.T @ (nn.functional.one_hot(y, 5).float() * 6 - 1))
    net[4].weight.copy_(sol[:64].T)
    net[4].bias.copy_(sol[64])
    print("base accuracy", (net(x).argmax(1) == y).float().mean().item())
model = inject(net)
print("trainable:", sum(p.numel() for p in model.parameters() if p.requires_grad))
fit(model, 600, 3e-3, True, 100)
