# fault: none
# family: autoencoder
# split: tune
import os
import torch
from torch import nn, optim

torch.manual_seed(int(os.environ.get("SEED", "0")))

# 64-dim signals living on a 4-dim manifold
basis = torch.randn(4, 64)
codes = torch.randn(2000, 4)
data = torch.tanh(codes @ basis * 0.5) + 0.05 * torch.randn(2000, 64)
train, valid = data[:1600], data[1600:]


class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 8))
        self.dec = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 64))

    def forward(self, x):
        return self.dec(self.enc(x))


ae = AE()
mse = nn.MSELoss()
adam = optim.Adam(ae.parameters(), lr=3e-3)
for epoch in range(8):
    ae.train()
    for batch in train[torch.randperm(len(train))].split(64):
        adam.zero_grad()
        loss = mse(ae(batch), batch)
        loss.backward()
        adam.step()
    ae.eval()
    with torch.no_grad():
        v = mse(ae(valid), valid)
    print(f"{epoch}: train {loss.item():.4f} valid {v.item():.4f}")
