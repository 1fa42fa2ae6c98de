# fault: none
# family: cnn
# split: tune
# classify 16x16 images: horizontal bar, vertical bar, cross, blob
import os, torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

def draw(n):
    img = 0.3 * torch.randn(n, 1, 16, 16)
    lab = torch.randint(0, 4, (n,))
    for k in range(n):
        r, c = torch.randint(2, 13, (2,)).tolist()
        l = lab[k].item()
        if l in (0, 2): img[k, 0, r, :] += 1
        if l in (1, 2): img[k, 0, :, c] += 1
        if l == 3: img[k, 0, r - 2:r + 3, c - 2:c + 3] += 1
    return img, lab

xtr, ytr = draw(768)
xte, yte = draw(200)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
    nn.Flatten(), nn.Linear(256, 4))
crit = nn.CrossEntropyLoss()
optim = torch.optim.Adam(model.parameters(), lr=2e-3)
step = 0
for ep in range(8):
    p = torch.randperm(768)
    for b in p.split(32):
        out = model(xtr[b])
        loss = crit(out, ytr[b])
        optim.zero_grad()
        loss.backward()
        optim.step()
        step += 1
    with torch.no_grad():
        print("epoch", ep, "loss", round(loss.item(), 4), "test acc", (model(xte).argmax(1) == yte).float().mean().item())
