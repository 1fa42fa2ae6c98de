# fault: axes-mixed-up
# cause_class: structure, data-loading
# family: sequence
# split: held
import os
import math
import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
T, C, CLASSES = 20, 6, 3


def gait(n):
    """Six channels of an inertial sensor: does the second pulse follow the first, come before it, or with it?"""
    y = torch.randint(0, CLASSES, (n,))
    a = torch.randint(6, 14, (n,))
    b = a + torch.tensor([4, -4, 0])[y]
    t = torch.arange(T).float()
    pulse = lambda c: torch.exp(-0.5 * (t[None] - c[:, None].float()) ** 2)
    x = 0.3 * torch.randn(n, T, C)
    x[:, :, 0] += 2 * pulse(a)
    x[:, :, 1] += 2 * pulse(b)
    return x, y


class PositionalEncoding(nn.Module):
    def __init__(self, d, max_len=5000):
        super().__init__()
        pe = torch.zeros(max_len, 1, d)
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe[:, 0, 0::2] = torch.sin(pos * div)
        pe[:, 0, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:x.size(0)]


class GaitTransformer(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.proj = nn.Linear(C, d)
        self.pos = PositionalEncoding(d)
        layer = nn.TransformerEncoderLayer(d, nhead=4, dim_feedforward=64, dropout=0.1)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.fc = nn.Linear(d, CLASSES)

    def forward(self, x):                 # x: batch, time, channels
        h = self.encoder(self.pos(self.proj(x)))
        return self.fc(h.mean(dim=1))


x, y = gait(1400)
xt, yt, xv, yv = x[:1200], y[:1200], x[1200:], y[1200:]
model = GaitTransformer()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
crit = nn.CrossEntropyLoss()
for epoch in range(9):
    model.train()
    tot = 0
    for idx in torch.randperm(1200).split(40):
        opt.zero_grad()
        loss = crit(model(xt[idx]), yt[idx])
        loss.backward()
        opt.step()
        tot += loss.item() / 30
    model.eval()
    with torch.no_grad():
        acc = (model(xv).argmax(1) == yv).float().mean().item()
    print(f"epoch {epoch} loss {tot:.4f} val acc {acc:.3f}")
