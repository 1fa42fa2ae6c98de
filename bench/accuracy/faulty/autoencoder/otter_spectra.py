# fault: output-range
# cause_class: output-activation
# family: autoencoder
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def stack(sizes, act=nn.ReLU):
    layers = []
    for i, o in zip(sizes, sizes[1:]):
        layers += [nn.Linear(i, o), act()]
    return nn.Sequential(*layers)


class SpectrumAE(nn.Module):
    def __init__(self, dim, code):
        super().__init__()
        self.enc = nn.Sequential(stack([dim, 64]), nn.Linear(64, code))
        self.dec = stack([code, 64, dim])

    def forward(self, x):
        return self.dec(self.enc(x))


def spectra(n, width=40):
    grid = torch.linspace(0, 1, width)
    out = torch.zeros(n, width)
    for _ in range(2):
        c, h = torch.rand(n, 1), torch.rand(n, 1) + 0.5
        out += h * torch.exp(-((grid - c) / 0.12) ** 2)
    return out


train, test = spectra(1500), spectra(300)
mu, sd = train.mean(0), train.std(0)
train, test = (train - mu) / sd, (test - mu) / sd
ae = SpectrumAE(40, 6)
opt = torch.optim.Adam(ae.parameters(), lr=2e-3)
for ep in range(12):
    ae.train()
    s = 0.
    for i in torch.randperm(1500).split(50):
        rec = ae(train[i])
        loss = (rec - train[i]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 30
    ae.eval()
    with torch.no_grad():
        v = (ae(test) - test).square().mean().item()
    print(f"epoch {ep:2d}  train {s:.4f}  test {v:.4f}")
