# fault: none
# family: autoencoder
# split: held
# needs: sklearn
"""VAE on digits, with KL warm-up. Why does the total go up at epoch 4, and hardly come down again? See plot in the thread."""
import os
import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
images = torch.tensor(load_digits().images / 16.0, dtype=torch.float32).flatten(1)
images = images[torch.randperm(len(images))]
train_loader = DataLoader(TensorDataset(images[:1500]), batch_size=50, shuffle=True)
test_loader = DataLoader(TensorDataset(images[1500:]), batch_size=99)
EPOCHS = 16


class VAE(nn.Module):
    def __init__(self, d=64, h=128, z=6):
        super().__init__()
        self.fc1 = nn.Linear(d, h)
        self.fc21, self.fc22 = nn.Linear(h, z), nn.Linear(h, z)
        self.fc3, self.fc4 = nn.Linear(z, h), nn.Linear(h, d)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc21(h), self.fc22(h)

    def reparameterize(self, mu, logvar):
        if not self.training:
            return mu
        return mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)

    def forward(self, x):
        mu, logvar = self.encode(x)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(self.reparameterize(mu, logvar))))), mu, logvar


def parts(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce, kld


model = VAE()
optimizer = optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(1, EPOCHS + 1):
    beta = min(1.0, max(0.0, (epoch - 3) / 5))
    model.train()
    tot = 0.0
    for (x,) in train_loader:
        optimizer.zero_grad()
        recon, mu, logvar = model(x)
        bce, kld = parts(recon, x, mu, logvar)
        loss = bce + beta * kld
        loss.backward()
        optimizer.step()
        tot += loss.item()
    model.eval()
    tb = tk = 0.0
    with torch.no_grad():
        for (x,) in test_loader:
            r, mu, lv = model(x)
            b, k = parts(r, x, mu, lv)
            tb += b.item(); tk += k.item()
    n, m = len(train_loader.dataset), len(test_loader.dataset)
    print(f"====> Epoch {epoch:2d} beta {beta:.1f} train {tot / n:.2f} | test recon {tb / m:.2f} KL {tk / m:.2f}")
