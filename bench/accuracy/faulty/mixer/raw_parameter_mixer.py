# fault: init-too-large
# cause_class: initialisation
# family: mixer
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))

x = torch.tensor(load_digits().images, dtype=torch.float32) / 16
x = (x - x.mean()) / x.std()
y = torch.tensor(load_digits().target)
p = torch.randperm(len(x))
x, y = x[p], y[p]


def patches(im, k=2):
    """(B, 8, 8) -> (B, 16, 4)"""
    return im.unfold(1, k, k).unfold(2, k, k).reshape(len(im), -1, k * k)


class Dense(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.w = nn.Parameter(torch.randn(i, o))
        self.b = nn.Parameter(torch.zeros(o))

    def forward(self, h):
        return h @ self.w + self.b


class MixerLayer(nn.Module):
    def __init__(self, tokens, dim, expand=2):
        super().__init__()
        self.t1, self.t2 = Dense(tokens, tokens * expand), Dense(tokens * expand, tokens)
        self.c1, self.c2 = Dense(dim, dim * expand), Dense(dim * expand, dim)

    def forward(self, h):
        m = self.t2(F.gelu(self.t1(h.transpose(1, 2)))).transpose(1, 2)
        h = h + m
        return h + self.c2(F.gelu(self.c1(h)))


class Mixer(nn.Module):
    def __init__(self, tokens=16, dim=24, depth=2, classes=10):
        super().__init__()
        self.stem = Dense(4, dim)
        self.layers = nn.Sequential(*[MixerLayer(tokens, dim) for _ in range(depth)])
        self.head = Dense(dim, classes)

    def forward(self, im):
        return self.head(self.layers(self.stem(patches(im))).mean(1))


net = Mixer()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(10):
    net.train()
    s = 0.0
    for idx in torch.randperm(1440).split(48):
        loss = F.cross_entropy(net(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 30
    net.eval()
    with torch.no_grad():
        out = net(x[1440:])
    print(f"epoch {epoch} train {s:.3f} test {F.cross_entropy(out, y[1440:]).item():.3f} "
          f"acc {(out.argmax(1) == y[1440:]).float().mean().item():.3f}")
