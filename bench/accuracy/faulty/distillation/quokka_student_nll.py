# fault: logits-as-probabilities
# cause_class: loss, output-activation, labels
# family: distillation
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def blobs(n, k=6, d=12):
    g = torch.Generator().manual_seed(3)
    c = torch.randn(k, d, generator=g) * 1.3
    y = torch.randint(0, k, (n,))
    return c[y] + torch.randn(n, d), y


def net(width):
    return nn.Sequential(nn.Linear(12, width), nn.ReLU(), nn.Linear(width, 6))


class DistillLoss(nn.Module):
    def __init__(self, t=2.0, alpha=0.7):
        super().__init__()
        self.t, self.alpha = t, alpha

    def forward(self, student, teacher):
        p = F.softmax(teacher / self.t, dim=1)
        return F.kl_div(student / self.t, p, reduction="batchmean") * self.t ** 2


x, y = blobs(2400)
xv, yv = blobs(500)
teacher = net(128)
opt = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for step in range(200):
    b = torch.randint(0, len(x), (64,))
    loss = F.cross_entropy(teacher(x[b]), y[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
teacher.eval()
print("teacher acc %.3f" % (teacher(xv).argmax(1) == yv).float().mean())

student = net(24)
opt = torch.optim.Adam(student.parameters(), lr=2e-3)
crit = DistillLoss()
for step in range(500):
    b = torch.randint(0, len(x), (64,))
    with torch.no_grad():
        t = teacher(x[b])
    loss = crit(student(x[b]), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        with torch.no_grad():
            acc = (student(xv).argmax(1) == yv).float().mean()
        print(f"student step {step + 1} loss {loss.item():.4f} acc {acc:.3f}")
