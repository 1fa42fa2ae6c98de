# fault: none
# family: autoencoder
# split: tune
# A linear autoencoder, in truth PCA: no activation at all between the layers, on purpose.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

latent = torch.randn(2000, 4)
data = latent @ torch.randn(4, 32) + 0.1 * torch.randn(2000, 32)
data = data - data.mean(0)

enc = nn.Linear(32, 4, bias=False)
dec = nn.Linear(4, 32, bias=False)
autoencoder = nn.Sequential(enc, dec)
opt = torch.optim.Adam(autoencoder.parameters(), lr=1e-2)
mse = nn.MSELoss()
curve = []
for epoch in range(8):
    for x in data[torch.randperm(2000)].split(50):
        loss = mse(autoencoder(x), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        curve.append(loss.item())
print(f"loss first {curve[0]:.4f} last {curve[-1]:.4f}")
