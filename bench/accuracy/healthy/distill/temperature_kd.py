# fault: none
# family: distill
# split: tune
# needs: sklearn
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def data(seed):
    X, y = load_digits(return_X_y=True)
    a, b, c, d = train_test_split(X / 16.0, y, test_size=0.25, random_state=seed, stratify=y)
    f = lambda v: torch.tensor(v, dtype=torch.float32)
    return f(a), torch.tensor(c), f(b), torch.tensor(d)


def net(h):
    return nn.Sequential(nn.Linear(64, h), nn.ReLU(), nn.Linear(h, 10))


class KD(nn.Module):
    def __init__(self, t=4.0, alpha=0.7):
        super().__init__()
        self.t, self.alpha = t, alpha

    def forward(self, s, teacher, y):
        soft = F.kl_div(F.log_softmax(s / self.t, 1), F.log_softmax(teacher / self.t, 1),
                        log_target=True, reduction="batchmean") * self.t ** 2
        return self.alpha * soft + (1 - self.alpha) * F.cross_entropy(s, y)


def accuracy(m, x, y):
    m.eval()
    with torch.no_grad():
        r = (m(x).argmax(1) == y).float().mean().item()
    m.train()
    return r


if __name__ == "__main__":
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    xtr, ytr, xte, yte = data(seed)
    loader = DataLoader(TensorDataset(xtr, ytr), batch_size=64, shuffle=True)
    teacher = net(200)
    opt = torch.optim.Adam(teacher.parameters(), lr=3e-3)
    for epoch in range(12):
        for x, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(teacher(x), y, label_smoothing=0.1)
            loss.backward()
            opt.step()
    print("teacher", accuracy(teacher, xte, yte), "last loss", round(loss.item(), 3))
    teacher.eval()
    for p in teacher.parameters():
        p.requires_grad = False
    student, kd = net(16), KD()
    opt = torch.optim.Adam(student.parameters(), lr=5e-3)
    for epoch in range(18):
        s = 0
        for x, y in loader:
            with torch.no_grad():
                t = teacher(x)
            loss = kd(student(x), t, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            s += loss.item()
        if epoch % 3 == 2:
            print("student", epoch, round(s / len(loader), 4), round(accuracy(student, xte, yte), 3))
