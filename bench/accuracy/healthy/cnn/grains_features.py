# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def batch(n=32):
    k = torch.randint(3, (n,))
    x = 0.5 * torch.randn(n, 1, 16, 16)
    for i, c in enumerate(k.tolist()):
        x[i, 0, ::c + 2] += 1
    return x, k


features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
classifier = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.AdamW(list(features.parameters()) + list(classifier.parameters()), lr=1e-3)
for step in range(150):
    x, y = batch()
    with torch.set_grad_enabled(True):
        z = features(x)
    loss = F.cross_entropy(classifier(z), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
