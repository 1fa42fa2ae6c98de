# fault: logits-as-probabilities
# cause_class: loss, output-activation
# family: distillation
# split: held
"""A wide teacher, a narrow student that sees only the teacher's soft answers."""
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
CLASSES, FEATURES = 6, 16


def mlp(width, depth):
    layers, d = [], FEATURES
    for _ in range(depth):
        layers += [nn.Linear(d, width), nn.ReLU()]
        d = width
    return nn.Sequential(*layers, nn.Linear(d, CLASSES))


rule = nn.Sequential(nn.Linear(FEATURES, 24), nn.Tanh(), nn.Linear(24, CLASSES)).requires_grad_(False)
for p in rule.parameters():
    p.mul_(2.5)


def make(n):
    x = torch.randn(n, FEATURES)
    return TensorDataset(x, rule(x).argmax(1))


class DistillationLoss(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.t = temperature
        self.kl = nn.KLDivLoss(reduction="batchmean")

    def forward(self, student_logits, teacher_logits):
        target = F.softmax(teacher_logits / self.t, dim=-1)
        return self.kl(student_logits / self.t, target) * self.t ** 2


def fit(model, loader, loss_fn, epochs, lr, tag, valid):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = loss_fn(model, x, y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            acc = (model(valid[0]).argmax(1) == valid[1]).float().mean()
        print(f"{tag} epoch {epoch} loss {total / len(loader):.4f} acc {acc:.3f}")


train, valid = make(4000), make(1000).tensors
loader = DataLoader(train, batch_size=100, shuffle=True)
teacher, student = mlp(128, 2), mlp(24, 1)
fit(teacher, loader, lambda m, x, y: F.cross_entropy(m(x), y), 6, 2e-3, "teacher", valid)

teacher.eval().requires_grad_(False)
distill = DistillationLoss(temperature=3.0)
fit(student, loader, lambda m, x, y: distill(m(x), teacher(x)), 8, 3e-3, "student", valid)
