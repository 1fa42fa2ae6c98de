# fault: none
# family: mlp
# split: tune
# MLP-Mixer with patches, GELU, EMA weights for evaluation (AveragedModel).
import os

import torch
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class MixerLayer(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.tok = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.chan = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.tok(self.n1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.chan(self.n2(x))


class Mixer(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.patch = nn.Conv2d(1, 24, 4, 4)
        self.layers = nn.Sequential(MixerLayer(9, 24), MixerLayer(9, 24), nn.LayerNorm(24))
        self.head = nn.Linear(24, classes)

    def forward(self, x):
        return self.head(self.layers(self.patch(x).flatten(2).transpose(1, 2)).mean(1))


def data(n):
    y = torch.randint(0, 4, (n,))
    x = 0.4 * torch.randn(n, 1, 12, 12)
    for k, (r, c) in enumerate([(0, 0), (0, 6), (6, 0), (6, 6)]):
        x[y == k, :, r:r + 6, c:c + 6] += 0.5
    return x, y


model = Mixer(4)
ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.97))
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
ce, rec = nn.CrossEntropyLoss(), []
for step in range(180):
    x, y = data(32)
    loss = ce(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update_parameters(model)
    rec.append(loss.item())
    if step % 60 == 59:
        ema.eval()
        with torch.no_grad():
            x, y = data(200)
            print("EMA accuracy", (ema(x).argmax(1) == y).float().mean().item())
print(f"loss first {rec[0]:.4f} last {rec[-1]:.4f}")
