# fault: logits-as-probabilities
# cause_class: output-activation, loss
# family: distillation
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
CLASSES, DIM = 10, 24
centres = torch.randn(CLASSES, 3, DIM)


def sample(n):
    y = torch.randint(0, CLASSES, (n,))
    mode = torch.randint(0, 3, (n,))
    return centres[y, mode] + 1.1 * torch.randn(n, DIM), y


def mlp(width, depth):
    layers = [nn.Linear(DIM, width), nn.ReLU()]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, CLASSES))


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        out = net(x)
    net.train()
    return (out.argmax(1) == y).float().mean().item()


class DistillationLoss(nn.Module):
    """Hinton et al. (2015): match the softened distributions, T^2 keeps the gradients' size."""

    def __init__(self, temperature=3.0):
        super().__init__()
        self.T = temperature
        self.kl = nn.KLDivLoss(reduction="batchmean")

    def forward(self, student_logits, teacher_logits):
        p_student = F.softmax(student_logits / self.T, dim=1)
        p_teacher = F.softmax(teacher_logits / self.T, dim=1)
        return self.kl(p_student, p_teacher) * self.T ** 2


x_test, y_test = sample(1000)
teacher = mlp(128, 2)
opt = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for step in range(300):
    x, y = sample(64)
    loss = F.cross_entropy(teacher(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("teacher", accuracy(teacher, x_test, y_test))
teacher.eval().requires_grad_(False)

student = mlp(32, 1)
distil = DistillationLoss()
opt = torch.optim.Adam(student.parameters(), lr=3e-3)
for step in range(600):
    x, _ = sample(64)
    with torch.no_grad():
        target = teacher(x)
    loss = distil(student(x), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        with torch.no_grad():
            gap = F.cross_entropy(student(x_test), y_test).item()
        print(f"step {step + 1} distillation {loss.item():.4f} test nll {gap:.3f} acc {accuracy(student, x_test, y_test):.3f}")
