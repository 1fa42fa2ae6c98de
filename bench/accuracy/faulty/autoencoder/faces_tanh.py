# fault: saturated-tanh
# cause_class: activation, initialisation
# family: autoencoder
# split: held
# twin: healthy/autoencoder/faces_tanh.py
"""Compress 50 landmark coordinates to 5 numbers."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class LandmarkAE(nn.Module):
    def __init__(self, sizes=(50, 64, 5)):
        super().__init__()
        a, b, c = sizes
        self.encoder = nn.Sequential(nn.Linear(a, b), nn.Tanh(), nn.Linear(b, c), nn.Tanh())
        self.decoder = nn.Sequential(nn.Linear(c, b), nn.Tanh(), nn.Linear(b, a))
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=4.0)
                nn.init.zeros_(m.bias)
        nn.init.xavier_uniform_(self.decoder[-1].weight)

    def forward(self, x):
        return self.decoder(self.encoder(x))


hidden = torch.randn(2400, 5)
basis = torch.randn(5, 50) / 5 ** 0.5
data = hidden @ basis + 0.2 * torch.sin(3 * hidden @ torch.randn(5, 50) / 5 ** 0.5) + 0.05 * torch.randn(2400, 50)
train, test = data[:2000], data[2000:]
ae = LandmarkAE()
optimizer = torch.optim.Adam(ae.parameters(), lr=1e-3)
mse = nn.MSELoss()
for epoch in range(20):
    s = 0.0
    for b in torch.randperm(2000).split(40):
        loss = mse(ae(train[b]), train[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        s += loss.item() / 50
    with torch.no_grad():
        print(f"epoch {epoch} train {s:.4f} test {mse(ae(test), test).item():.4f} (variance {test.var().item():.4f})")
