# fault: no-gradient
# cause_class: not-updated, structure
# family: autoencoder
# split: tune
# needs: sklearn
"""Learn 6-bit hash codes for digits: encoder, hard threshold, decoder."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.tensor(load_digits().data, dtype=torch.float32) / 16
x = x[torch.randperm(len(x))]
mean = x[:1500].mean(0)


class Binarize(nn.Module):
    def forward(self, p):
        return (p > 0.5).float()


class HashAutoencoder(nn.Module):
    def __init__(self, bits=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, bits), nn.Sigmoid())
        self.binarize = Binarize()
        self.decoder = nn.Sequential(nn.Linear(bits, 64), nn.ReLU(), nn.Linear(64, 64))

    def forward(self, x):
        code = self.binarize(self.encoder(x))
        return self.decoder(code), code


model = HashAutoencoder()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
loader = DataLoader(x[:1500], batch_size=50, shuffle=True)
test = x[1500:]
for epoch in range(15):
    model.train()
    s = 0.0
    for b in loader:
        opt.zero_grad()
        rec, _ = model(b - mean)
        loss = ((rec - b) ** 2).sum(1).mean()
        loss.backward()
        opt.step()
        s += loss.item()
    if epoch % 2 == 0:
        model.eval()
        with torch.no_grad():
            rec, code = model(test - mean)
            err = ((rec - test) ** 2).sum(1).mean()
        print(f"epoch {epoch} train {s / len(loader):.3f} test {err:.3f} distinct codes {len(code.unique(dim=0))}")
