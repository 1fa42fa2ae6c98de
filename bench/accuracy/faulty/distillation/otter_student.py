# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: distillation
# split: held
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def mlp(width):
    return nn.Sequential(nn.Linear(12, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 5))


W = torch.randn(12, 5)
x = torch.randn(1600, 12)
y = ((x + 0.5 * x.roll(1, 1) ** 2) @ W).argmax(1)


class Distiller:
    def __init__(self, student, loss_fn, lr):
        self.student, self.loss_fn = student, loss_fn
        self.opt = torch.optim.SGD(student.parameters(), lr=lr, momentum=0.9)
        self.before = [student.train, self.opt.zero_grad]
        self.after = [self.opt.step]

    def run(self, batches):
        seen = 0.0
        for inputs in batches:
            for hook in self.before:
                hook
            loss = self.loss_fn(self.student, *inputs)
            loss.backward()
            for hook in self.after:
                hook()
            seen += loss.item()
        return seen / len(batches)


def batches(n=40):
    return [(x[i], y[i]) for i in torch.randperm(len(x)).split(n)]


def hard(model, xb, yb):
    return F.cross_entropy(model(xb), yb)


teacher = mlp(96)
topt = torch.optim.Adam(teacher.parameters(), lr=3e-3)
for _ in range(6):
    for b in batches():
        topt.zero_grad()
        hard(teacher, *b).backward()
        topt.step()
teacher.eval().requires_grad_(False)


def soft(model, xb, yb, T=2.0, alpha=0.7):
    kd = F.kl_div(F.log_softmax(model(xb) / T, 1), F.softmax(teacher(xb) / T, 1), reduction="batchmean") * T * T
    return alpha * kd + (1 - alpha) * hard(model, xb, yb)


d = Distiller(mlp(24), soft, lr=0.05)
for epoch in range(8):
    loss = d.run(batches())
    with torch.no_grad():
        agree = (d.student(x).argmax(1) == teacher(x).argmax(1)).float().mean()
    print(f"epoch {epoch} distillation {loss:.4f} agreement {agree:.3f}")
