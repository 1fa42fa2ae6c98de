# fault: none
# family: autoencoder
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))
wave = torch.linspace(0, 1, 80)
center = 0.1 + 0.8 * torch.rand(1920, 3, 1)
width = 0.02 + 0.05 * torch.rand(1920, 3, 1)
spectra = torch.exp(-((wave - center) / width) ** 2).sum(1)
encoder = nn.Sequential(nn.Linear(80, 48), nn.ReLU(), nn.Linear(48, 12))
decoder = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 80))
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for epoch in range(12):
    for x in spectra[torch.randperm(1920)].split(64):
        loss = ((decoder(encoder(x)) - x) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
