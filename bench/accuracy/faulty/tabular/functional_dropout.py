# fault: eval-in-train-mode
# cause_class: eval-mode, structure
# family: tabular
# split: tune
# set: quokka, unseen
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Encoder(nn.Module):
    def __init__(self, d_in, d, rate):
        super().__init__()
        self.a, self.b, self.rate = nn.Linear(d_in, d), nn.Linear(d, d), rate

    def forward(self, x):
        h = F.dropout(F.relu(self.a(x)), self.rate)
        return F.dropout(F.relu(self.b(h)), self.rate)


class Diagnosis(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = Encoder(16, 128, 0.5)
        self.cls = nn.Linear(128, 3)

    def forward(self, x):
        return self.cls(self.enc(x))


w = torch.randn(16, 3)
x = torch.randn(2600, 16)
y = (x @ w + 0.5 * (x ** 2) @ w.flip(0) * 0.3).argmax(1)
xt, yt, xv, yv = x[:2000], y[:2000], x[2000:], y[2000:]
net = Diagnosis()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def evaluate():
    net.eval()
    with torch.no_grad():
        first, second = net(xv), net(xv)
    return F.cross_entropy(first, yv).item(), (first.argmax(1) == yv).float().mean().item(), (first.argmax(1) == second.argmax(1)).float().mean().item()


for epoch in range(15):
    net.train()
    tot = 0.0
    for b in torch.randperm(2000).split(40):
        loss = F.cross_entropy(net(xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    print(f"epoch {epoch} train {tot / 50:.4f} val %.4f acc %.3f two passes agree %.3f" % evaluate())
