# fault: none
# family: autoencoder
# split: tune
# Denoising convolutional autoencoder with a sigmoid at the end and MSE on pictures in 0..1.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))

g = torch.linspace(0, 1, 12)
c = torch.rand(900, 2, 1, 1)
clean = torch.exp(-((g[None, :, None] - c[:, 0]) ** 2 + (g[None, None] - c[:, 1]) ** 2) / 0.03).unsqueeze(1)


class DAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 12, 3, 2, 1), nn.ReLU())
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(12, 8, 2, 2), nn.ReLU(), nn.ConvTranspose2d(8, 1, 2, 2), nn.Sigmoid()
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


model, loss_fn = DAE(), nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
log = []
for epoch in range(8):
    for (x,) in DataLoader(TensorDataset(clean), batch_size=30, shuffle=True):
        noisy = (x + 0.3 * torch.randn_like(x)).clamp(0, 1)
        loss = loss_fn(model(noisy), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
print(f"loss first {log[0]:.5f} last {log[-1]:.5f}")
