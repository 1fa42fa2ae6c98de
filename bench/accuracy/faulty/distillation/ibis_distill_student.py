# fault: logits-as-probabilities
# cause_class: loss, output-activation
# family: distillation
# split: held
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    seed: int = int(os.environ.get("SEED", 0))
    dim: int = 20
    classes: int = 6
    teacher_hidden: int = 128
    student_hidden: int = 24
    teacher_steps: int = 300
    student_steps: int = 500
    batch: int = 64
    temperature: float = 3.0
    alpha: float = 0.7


cfg = Config()
torch.manual_seed(cfg.seed)


def mlp(hidden):
    return nn.Sequential(nn.Linear(cfg.dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
                         nn.Linear(hidden, cfg.classes))


def sample(n, w=torch.randn(20, 12) / 4, v=torch.randn(12, 6)):
    x = torch.randn(n, cfg.dim)
    return x, (torch.tanh(x @ w) @ v).argmax(1)


def distillation_loss(student_logits, teacher_logits, target):
    t = cfg.temperature
    soft = F.kl_div(student_logits / t, F.softmax(teacher_logits / t, dim=1), reduction="batchmean") * t * t
    hard = F.cross_entropy(student_logits, target)
    return cfg.alpha * soft + (1 - cfg.alpha) * hard


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        a = (net(x).argmax(1) == y).float().mean().item()
    net.train()
    return a


x_train, y_train = sample(4000)
x_test, y_test = sample(800)

teacher = mlp(cfg.teacher_hidden)
opt = torch.optim.AdamW(teacher.parameters(), lr=2e-3)
for step in range(cfg.teacher_steps):
    i = torch.randint(0, len(x_train), (cfg.batch,))
    loss = F.cross_entropy(teacher(x_train[i]), y_train[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
print("teacher", accuracy(teacher, x_test, y_test))
teacher.eval()
teacher.requires_grad_(False)

student = mlp(cfg.student_hidden)
opt = torch.optim.AdamW(student.parameters(), lr=2e-3)
for step in range(cfg.student_steps):
    i = torch.randint(0, len(x_train), (cfg.batch,))
    with torch.no_grad():
        t_logits = teacher(x_train[i])
    loss = distillation_loss(student(x_train[i]), t_logits, y_train[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(f"step {step} kd loss {loss.item():.4f}")
print("student", accuracy(student, x_test, y_test))
