# fault: eval-in-train-mode
# cause_class: eval-mode
# family: skin
# split: held
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


class Moles(Dataset):
    """3x12x12 crops; every patient has eight crops of one finding (benign, atypical, malignant)."""

    def __init__(self, patients):
        self.y = torch.randint(0, 3, (patients,)).repeat_interleave(8)
        n = len(self.y)
        tint = torch.tensor([[0.5, 0.2, 0.0], [0.0, 0.4, 0.3], [-0.5, 0.1, 0.4]])[self.y]
        self.x = 0.8 * torch.randn(n, 3, 12, 12) + tint[:, :, None, None]
        spots = (torch.rand(n, 1, 12, 12) < (0.02 + 0.06 * self.y[:, None, None, None])).float()
        self.x = self.x - 1.2 * spots
        self.x = (self.x - self.x.mean((0, 2, 3), keepdim=True)) / self.x.std((0, 2, 3), keepdim=True)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class ByPatient(Sampler):
    def __init__(self, n, per=8):
        self.n, self.per = n, per

    def __iter__(self):
        for s in range(0, self.n, self.per):
            yield list(range(s, s + self.per))

    def __len__(self):
        return self.n // self.per


def conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(conv(3, 16), conv(16, 32), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.h = nn.Sequential(nn.Dropout(0.3), nn.Linear(32, 3))

    def forward(self, x):
        return self.h(self.f(x))


class Clinic:
    def __init__(self):
        self.net, self.ce = Net(), nn.CrossEntropyLoss()
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=2e-3, weight_decay=1e-3)

    def run(self, loader, learn):
        loss_sum = hit = n = 0
        for x, y in loader:
            with torch.set_grad_enabled(learn):
                out = self.net(x)
                loss = self.ce(out, y)
            if learn:
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            loss_sum += loss.item() * len(y)
            hit += (out.argmax(1) == y).sum().item()
            n += len(y)
        return loss_sum / n, hit / n


train, val = Moles(160), Moles(40)
clinic = Clinic()
clinic.net.train()
for epoch in range(8):
    tl, ta = clinic.run(DataLoader(train, 32, shuffle=True), True)
    vl, va = clinic.run(DataLoader(val, batch_sampler=ByPatient(len(val))), False)
    print(f"epoch {epoch} train {tl:.3f}/{ta:.3f} val {vl:.3f}/{va:.3f}")
