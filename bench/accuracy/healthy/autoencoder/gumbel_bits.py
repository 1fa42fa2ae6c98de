# fault: none
# family: autoencoder
# split: tune
# needs: sklearn
"""Discrete codes with a straight-through Gumbel-softmax and a falling temperature."""
import os
import torch
from torch import nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.tensor(load_digits().data, dtype=torch.float32) / 16
x = x[torch.randperm(len(x))]
K, C = 8, 4


class DiscreteAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, K * C))
        self.dec = nn.Sequential(nn.Linear(K * C, 96), nn.ReLU(), nn.Linear(96, 64))

    def forward(self, x, tau):
        logits = self.enc(2 * x - 1).view(-1, K, C)
        if self.training:
            z = F.gumbel_softmax(logits, tau=tau, hard=True)
        else:
            z = F.one_hot(logits.argmax(-1), C).float()
        return self.dec(z.flatten(1))


net = DiscreteAE()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(20):
    tau = max(0.5, 1.0 * 0.93 ** epoch)
    net.train()
    s = 0.0
    for idx in torch.randperm(1500).split(60):
        loss = F.binary_cross_entropy_with_logits(net(x[idx], tau), x[idx], reduction="none").sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 25
    if epoch % 3 == 1:
        net.eval()
        with torch.no_grad():
            t = F.binary_cross_entropy_with_logits(net(x[1500:], tau), x[1500:], reduction="none").sum(1).mean()
        print(f"epoch {epoch} tau {tau:.2f} train {s:.3f} test {t:.3f}")
