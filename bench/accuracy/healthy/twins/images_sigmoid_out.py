# fault: none
# family: autoencoder
# split: tune
import os
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
# smooth random images, standardised to mean 0 / std 1
raw = torch.randn(1024, 1, 4, 4)
imgs = nn.functional.interpolate(raw, size=12, mode="bilinear")
imgs = (imgs - imgs.mean()) / imgs.std()


class ConvAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.ELU(), nn.Conv2d(12, 16, 3, stride=2, padding=1), nn.ELU())
        self.up = nn.Sequential(nn.ConvTranspose2d(16, 12, 2, stride=2), nn.ELU(), nn.ConvTranspose2d(12, 1, 2, stride=2))

    def forward(self, x):
        return self.up(self.down(x))


loader = DataLoader(imgs, batch_size=64, shuffle=True)
ae = ConvAE()
opt = torch.optim.Adam(ae.parameters(), lr=0.004)
for epoch in range(8):
    tot = 0.
    for x in loader:
        opt.zero_grad()
        rec = ae(x)
        loss = ((rec - x) ** 2).mean()
        loss.backward()
        opt.step()
        tot += loss.item()
    print("epoch", epoch, "reconstruction", tot / len(loader))
