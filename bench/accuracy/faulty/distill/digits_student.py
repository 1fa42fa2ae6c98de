# fault: logits-as-probabilities
# cause_class: output-activation, loss
# family: distill
# split: tune
# needs: sklearn
"""Distil a wide network on the digits into a narrow one."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
X = torch.tensor(d.data, dtype=torch.float32) / 16
Y = torch.tensor(d.target)
p = torch.randperm(len(X))
X, Y = X[p], Y[p]
xtr, ytr, xte, yte = X[:1400], Y[:1400], X[1400:], Y[1400:]


def mlp(width):
    return nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10))


def accuracy(net):
    net.eval()
    with torch.no_grad():
        a = (net(xte).argmax(1) == yte).float().mean().item()
    net.train()
    return a


class DistillLoss(nn.Module):
    def __init__(self, temperature=3.0):
        super().__init__()
        self.T = temperature

    def forward(self, student_logits, teacher_logits):
        target = F.softmax(teacher_logits / self.T, dim=1)
        return F.kl_div(student_logits / self.T, target, reduction="batchmean") * self.T ** 2


def fit(net, loss_of, epochs, name):
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(epochs):
        s, n = 0.0, 0
        for idx in torch.randperm(len(xtr)).split(64):
            opt.zero_grad()
            loss = loss_of(net, xtr[idx], ytr[idx])
            loss.backward()
            opt.step()
            s, n = s + loss.item(), n + 1
        if epoch % 3 == 2:
            print(f"{name} epoch {epoch} loss {s / n:.4f} accuracy {accuracy(net):.3f}")


teacher = mlp(256)
fit(teacher, lambda net, x, y: F.cross_entropy(net(x), y), 9, "teacher")
teacher.eval().requires_grad_(False)
student = mlp(24)
distill = DistillLoss()
fit(student, lambda net, x, y: distill(net(x), teacher(x)), 15, "student")
