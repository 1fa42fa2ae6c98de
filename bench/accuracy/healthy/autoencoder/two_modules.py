# fault: none
# family: autoencoder
# split: held
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

# images of a bright dot at (u, v) with a size: three hidden factors
def dots(n, s=12):
    g = torch.linspace(0, 1, s)
    u, v = torch.rand(n, 1, 1), torch.rand(n, 1, 1)
    r = 0.1 + 0.15 * torch.rand(n, 1, 1)
    d2 = (g.view(1, s, 1) - u) ** 2 + (g.view(1, 1, s) - v) ** 2
    return torch.exp(-d2 / (2 * r ** 2)).flatten(1)

encoder = nn.Sequential(nn.Linear(144, 96), nn.ReLU(), nn.Linear(96, 48), nn.ReLU(), nn.Linear(48, 3))
decoder = nn.Sequential(nn.Linear(3, 48), nn.ReLU(), nn.Linear(48, 96), nn.ReLU(), nn.Linear(96, 144))
optimizer = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()), lr=2e-3)
mse = nn.MSELoss()

train, val = dots(3000), dots(500)
for epoch in range(25):
    total = 0
    for idx in torch.randperm(len(train)).split(75):
        batch = train[idx]
        recon = decoder(encoder(batch))
        loss = mse(recon, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        v = mse(decoder(encoder(val)), val).item()
    if epoch % 3 == 0 or epoch == 24:
        print("epoch", epoch, "train", round(total / 40, 5), "val", round(v, 5), "explained", round(1 - v / val.var(0).mean().item(), 3))
