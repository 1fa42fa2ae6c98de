# fault: none
# family: autoencoder
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

W = torch.randn(5, 50)
samples = torch.sin(torch.randn(1800, 5) @ W * 0.6) + 0.05 * torch.randn(1800, 50)


class AutoEncoder(nn.Module):
    def __init__(self, code=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, code))
        self.decoder = nn.Sequential(nn.Linear(code, 64), nn.ReLU(), nn.Linear(64, 50))
        self.last_code = None

    def forward(self, x):
        code = self.encoder(x)
        self.last_code = code.detach()  # kept for the plots
        return self.decoder(code)


net = AutoEncoder()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
crit = nn.MSELoss()
for epoch in range(10):
    for x in samples[torch.randperm(1800)].split(60):
        opt.zero_grad()
        loss = crit(net(x), x)
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
