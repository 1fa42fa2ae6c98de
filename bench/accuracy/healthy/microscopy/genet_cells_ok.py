# fault: none
# family: microscopy
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

# ---- data -----------------------------------------------------------------------------------------
GY, GX = torch.meshgrid(torch.arange(18.) - 8.5, torch.arange(18.) - 8.5, indexing="ij")
R = (GY ** 2 + GX ** 2).sqrt()


def cell(n_rings, ecc, grain):
    r = ((GY * (1 + ecc)) ** 2 + (GX * (1 - ecc)) ** 2).sqrt()
    img = torch.exp(-((r - 5) / 2.2) ** 2) + (0.8 * torch.cos(r * n_rings) * torch.exp(-(r / 6) ** 2))
    return img + grain * torch.randn(18, 18)


def source_task(n):            # big public set: 4 nuclear textures
    y = torch.randint(0, 4, (n,))
    x = torch.stack([cell(0.5 + 0.5 * k, torch.rand(()).item() * 0.4 - 0.2, 0.3) for k in y.tolist()])
    return x.unsqueeze(1), y


def target_task(n):            # own small set: 3 stages
    y = torch.randint(0, 3, (n,))
    x = torch.stack([cell(0.75 + 0.5 * k, torch.rand(()).item() * 0.3, 0.35) for k in y.tolist()])
    return x.unsqueeze(1), y


# ---- model ----------------------------------------------------------------------------------------
class CellNet(nn.Module):
    def __init__(self, n_cls):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3), nn.Flatten())
        self.head = nn.Linear(24 * 9, n_cls)

    def forward(self, x):
        return self.head(self.backbone(x))


def fit(net, opt, data, val, epochs, tag):
    x, y = data
    for e in range(epochs):
        for i in torch.randperm(len(x)).split(30):
            loss = F.cross_entropy(net(x[i]), y[i], label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            acc = (net(val[0]).argmax(1) == val[1]).float().mean().item()
        print(f"{tag} epoch {e} loss {loss.item():.3f} val acc {acc:.3f}")


net = CellNet(4)
fit(net, torch.optim.Adam(net.parameters(), 2e-3), source_task(600), source_task(150), 3, "pretrain")

# ---- transfer: the backbone goes on with a small rate ----------------------------------------------
for p in net.backbone[0].parameters():
    p.requires_grad_(False)                          # first conv stays
net.head = nn.Linear(24 * 9, 3)
opt = torch.optim.Adam([{"params": net.backbone[3].parameters(), "lr": 1e-5},
                        {"params": net.head.parameters(), "lr": 2e-3}])
fit(net, opt, target_task(300), target_task(150), 12, "transfer")
