# fault: none
# family: autoencoder
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

basis = torch.randn(4, 24)


def batch(n=64):
    return torch.tanh(torch.randn(n, 4) @ basis)


encoder = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 4))
decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 24))
enc_opt = torch.optim.Adam(encoder.parameters(), lr=2e-3)
dec_opt = torch.optim.Adam(decoder.parameters(), lr=2e-3)
for step in range(300):
    x = batch()
    loss = F.mse_loss(decoder(encoder(x).detach()), x)
    dec_opt.zero_grad()
    loss.backward()
    dec_opt.step()
    loss = F.mse_loss(decoder(encoder(x)), x)
    enc_opt.zero_grad()
    loss.backward()
    enc_opt.step()
