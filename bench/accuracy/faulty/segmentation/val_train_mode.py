# fault: eval-in-train-mode
# cause_class: eval-mode
# family: segmentation
# split: tune
# twin: healthy/twins/val_train_mode.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

model = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.Dropout2d(0.2),
    nn.Conv2d(12, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.Dropout2d(0.2),
    nn.Conv2d(12, 1, 1))


def data(n):
    m = F.interpolate(torch.randn(n, 1, 4, 4), size=16, mode="bilinear") > 0.3
    return m.float() + 0.6 * torch.randn(n, 1, 16, 16), m.float()


xt, mt = data(480)
xv, mv = data(120)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(7):
    for b in torch.randperm(480).split(24):
        loss = F.binary_cross_entropy_with_logits(model(xt[b]), mt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        logits = model(xv)
        val = F.binary_cross_entropy_with_logits(logits, mv)
        iou = ((logits > 0) & (mv > 0)).sum() / ((logits > 0) | (mv > 0)).sum()
    print(f"epoch {epoch} train {loss.item():.3f} val {val.item():.3f} iou {iou.item():.3f}")
