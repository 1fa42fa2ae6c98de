# fault: frozen-by-mistake
# cause_class: not-updated
# family: finetuning
# split: tune
"""Take a body trained on many leaf shapes, add a neck and a head for a new task."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

base = torch.randn(30, 25)


def shapes(n, ids):
    k = ids[torch.randint(len(ids), (n,))]
    return base[k] + 0.6 * torch.randn(n, 25), k


body = nn.Sequential(nn.Linear(25, 64), nn.ReLU(), nn.Linear(64, 40), nn.ReLU())
old_head = nn.Linear(40, 20)
opt = torch.optim.Adam([*body.parameters(), *old_head.parameters()], lr=2e-3)
for step in range(400):
    x, k = shapes(64, torch.arange(20))
    loss = F.cross_entropy(old_head(body(x)), k)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("pretraining done, loss", loss.item())


class NewTask(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.neck = nn.Sequential(nn.Linear(40, 3), nn.Tanh())
        self.head = nn.Linear(3, 10)

    def forward(self, x):
        return self.head(self.neck(self.body(x)))


model = NewTask(body)
for name, p in model.named_parameters():
    p.requires_grad = name.startswith("head")
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
vx, vk = shapes(600, torch.arange(20, 30))
for step in range(1, 701):
    x, k = shapes(64, torch.arange(20, 30))
    loss = F.cross_entropy(model(x), k - 20)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 70 == 0:
        with torch.no_grad():
            o = model(vx)
            print(f"step {step} train {loss.item():.4f} val {F.cross_entropy(o, vk - 20).item():.4f} acc {(o.argmax(1) == vk - 20).float().mean().item():.3f}")
