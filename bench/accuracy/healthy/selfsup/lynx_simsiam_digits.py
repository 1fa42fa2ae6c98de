# fault: none
# family: selfsup
# split: held
# needs: sklearn
# SimSiam on the 8x8 digits. Linear probe on frozen features afterwards.
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
digits = load_digits()
x = (torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16 - 0.305) / 0.376
y = torch.tensor(digits.target)
order = torch.randperm(len(x))
x, y = x[order], y[order]
x_tr, y_tr, x_te, y_te = x[:1400], y[:1400], x[1400:], y[1400:]


def augment(img):
    n = len(img)
    dx, dy = torch.randint(-1, 2, (2,)).tolist()
    img = torch.roll(img, (dy, dx), (2, 3))
    img = img * (0.8 + 0.4 * torch.rand(n, 1, 1, 1)) + 0.3 * torch.randn_like(img)
    return img * (torch.rand_like(img) > 0.1)


class SimSiam(nn.Module):
    def __init__(self, dim=64, pred=16):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                                      nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten())
        self.projector = nn.Sequential(nn.Linear(256, dim, bias=False), nn.BatchNorm1d(dim), nn.ReLU(inplace=True),
                                       nn.Linear(dim, dim, bias=False), nn.BatchNorm1d(dim, affine=False))
        self.predictor = nn.Sequential(nn.Linear(dim, pred, bias=False), nn.BatchNorm1d(pred), nn.ReLU(inplace=True),
                                       nn.Linear(pred, dim))

    def forward(self, x1, x2):
        z1, z2 = self.projector(self.backbone(x1)), self.projector(self.backbone(x2))
        return self.predictor(z1), self.predictor(z2), z1.detach(), z2.detach()


def D(p, z):
    return -F.cosine_similarity(p, z, dim=1).mean()


def knn(model):
    model.eval()
    with torch.no_grad():
        a, b = F.normalize(model.backbone(x_tr), dim=1), F.normalize(model.backbone(x_te), dim=1)
    model.train()
    return (y_tr[(b @ a.T).argmax(1)] == y_te).float().mean().item()


model = SimSiam()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
epochs = 20
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
for epoch in range(epochs):
    run = 0
    parts = torch.randperm(len(x_tr)).split(128)[:-1]
    for i in parts:
        p1, p2, z1, z2 = model(augment(x_tr[i]), augment(x_tr[i]))
        loss = 0.5 * (D(p1, z2) + D(p2, z1))
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        run += loss.item() / len(parts)
    schedule.step()
    std = F.normalize(z1, dim=1).std(0).mean().item()
    print(f"epoch {epoch:2d}  loss {run:.4f}  feature std {std:.3f} (1/sqrt(d) = 0.125)  knn {knn(model):.3f}")

# linear probe
for p in model.backbone.parameters():
    p.requires_grad = False
model.eval()
head = nn.Linear(256, 10)
opt = torch.optim.Adam(head.parameters(), lr=5e-3)
for epoch in range(8):
    for i in torch.randperm(len(x_tr)).split(100):
        with torch.no_grad():
            f = model.backbone(x_tr[i])
        loss = F.cross_entropy(head(f), y_tr[i])
        opt.zero_grad(); loss.backward(); opt.step()
with torch.no_grad():
    print("probe accuracy", (head(model.backbone(x_te)).argmax(1) == y_te).float().mean().item(), "loss", loss.item())
