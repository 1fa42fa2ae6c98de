# fault: axes-mixed-up
# cause_class: data-loading, structure, labels
# family: segmentation
# split: tune
# needs: numpy
"""Find the marked stroke in colour pictures that are stored as height x width x channel."""
import os
import numpy as np
import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)


def pictures(n, s=16):
    img = rng.normal(0, 0.4, (n, s, s, 3)).astype(np.float32)
    mask = np.zeros((n, s, s), np.float32)
    for k in range(n):
        for colour in (0, 2):                     # red strokes are wanted, blue ones are not
            r, c = rng.integers(0, s - 4, 2)
            h, w = (2, 4 + rng.integers(4)) if rng.random() < 0.5 else (4 + rng.integers(4), 2)
            img[k, r:r + h, c:c + w, colour] += 2.0
            if colour == 0:
                mask[k, r:r + h, c:c + w] = 1
    return img, mask


def to_tensor(img):
    n, h, w, c = img.shape
    return torch.from_numpy(img).view(n, c, h, w)


class FCN(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU(),
                                    nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, 1, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


img, mask = pictures(500)
x, m = to_tensor(img), torch.from_numpy(mask)
xt, mt, xv, mv = x[:400], m[:400], x[400:], m[400:]
net = FCN()
loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(4.0))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    net.train()
    tot = 0
    for idx in torch.randperm(400).split(20):
        opt.zero_grad()
        loss = loss_fn(net(xt[idx]), mt[idx])
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        p = net(xv) > 0
        dice = (2 * (p * mv).sum() / (p.sum() + mv.sum())).item()
    print(f"epoch {epoch}: loss {tot / 20:.4f} dice {dice:.3f}")
