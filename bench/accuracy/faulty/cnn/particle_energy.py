# fault: broadcast-targets
# cause_class: labels, loss
# family: cnn
# split: held
# twin: healthy/cnn/particle_energy.py
# energy of a particle from its shower image
import os
import warnings
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader

warnings.filterwarnings("ignore")
torch.manual_seed(int(os.environ.get("SEED", 0)))


def showers(n):
    e = torch.rand(n) * 2 - 1
    g = torch.arange(12.) - 5.5
    width = 1.5 + 0.8 * e
    prof = torch.exp(-(g ** 2) / (2 * width[:, None] ** 2))
    img = (1.5 + e)[:, None, None] * prof[:, :, None] * prof[:, None, :]
    return (img + 0.15 * torch.randn(n, 12, 12)).unsqueeze(1), e


x, e = showers(1600)
xv, ev = showers(400)
loader = DataLoader(TensorDataset(x, e), batch_size=32, shuffle=True)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(),
                    nn.Linear(16 * 9, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(8):
    tr = 0.0
    for xb, eb in loader:
        loss = F.smooth_l1_loss(net(xb), eb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tr += loss.item()
    with torch.no_grad():
        p = net(xv)
        print(f"epoch {epoch} train {tr / len(loader):.4f} val {F.smooth_l1_loss(p, ev).item():.4f} corr {torch.corrcoef(torch.stack([p[:, 0], ev]))[0, 1].item():.3f} mae {(p[:, 0] - ev).abs().mean().item():.3f}")
