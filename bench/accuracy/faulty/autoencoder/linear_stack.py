# fault: no-nonlinearity
# cause_class: structure, activation
# family: autoencoder
# split: tune
# twin: healthy/twins/linear_stack.py
import os
import torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

angle = 6.2832 * torch.rand(1600, 1)
low = torch.cat([angle.cos(), angle.sin(), (2 * angle).cos(), (2 * angle).sin(), (3 * angle).cos(), (3 * angle).sin()], 1)
x = low @ torch.randn(6, 40) * 0.5 + 0.02 * torch.randn(1600, 40)

encoder = nn.Sequential(nn.Linear(40, 64), nn.Linear(64, 32), nn.Linear(32, 3))
decoder = nn.Sequential(nn.Linear(3, 32), nn.Linear(32, 64), nn.Linear(64, 40))
model = nn.Sequential(encoder, decoder)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(10):
    for b in x.split(50):
        rec = model(b)
        loss = nn.functional.mse_loss(rec, b)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
