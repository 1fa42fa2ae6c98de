# fault: logits-as-probabilities
# cause_class: loss, output-activation
# family: distillation
# split: held
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
K, D = 8, 12
CENTRES = 1.6 * torch.randn(K * 3, D)


def blobs(n):
    c = torch.randint(0, K * 3, (n,))
    return CENTRES[c] + torch.randn(n, D), c % K


def net(width, depth):
    seq, d = [], D
    for _ in range(depth):
        seq += [nn.Linear(d, width), nn.ReLU()]
        d = width
    return nn.Sequential(*seq, nn.Linear(d, K))


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        a = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return a


class DistillationLoss:
    """Hinton et al. 2015, soft part only: the transfer set has no labels."""

    def __init__(self, temperature=3.0):
        self.t = temperature

    def __call__(self, student_logits, teacher_logits):
        t = self.t
        s = F.softmax(student_logits / t, dim=-1)
        target = F.softmax(teacher_logits / t, dim=-1)
        return F.kl_div(s, target, reduction="batchmean") * t * t


xt, yt = blobs(500)
teacher = net(96, 2)
opt = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for step in range(350):
    x, y = blobs(128)
    loss = F.cross_entropy(teacher(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("teacher accuracy", round(accuracy(teacher, xt, yt), 3))

teacher.eval().requires_grad_(False)
student = net(48, 1)
opt = torch.optim.Adam(student.parameters(), lr=2e-3)
criterion = DistillationLoss()
for step in range(1, 1001):
    x, _ = blobs(128)
    loss = criterion(student(x), teacher(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 200 == 0:
        print(f"step {step} distillation {loss.item():.4f} student accuracy {accuracy(student, xt, yt):.3f}")
