# fault: none
# family: vae
# split: held
# summed ELBO, as in the PyTorch examples
import os
import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", "0")))
data = torch.tensor(load_digits().data, dtype=torch.float32) / 16
data = data[torch.randperm(len(data))]
train_loader = DataLoader(data[:1500], batch_size=50, shuffle=True)
test_loader = DataLoader(data[1500:], batch_size=297)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 100)
        self.fc21 = nn.Linear(100, 6)
        self.fc22 = nn.Linear(100, 6)
        self.fc3 = nn.Linear(6, 100)
        self.fc4 = nn.Linear(100, 64)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc21(h), self.fc22(h)

    def reparameterize(self, mu, logvar):
        return mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(1, 26):
    model.train()
    total = 0
    for x in train_loader:
        optimizer.zero_grad()
        recon, mu, logvar = model(x)
        loss = loss_function(recon, x, mu, logvar)
        loss.backward()
        optimizer.step()
        total += loss.item()
    if epoch % 4 == 1:
        model.eval()
        with torch.no_grad():
            x = next(iter(test_loader))
            t = loss_function(*((model(x)[0], x) + model.encode(x))).item()
        print(f"epoch {epoch} batch loss {loss.item():.1f} train/sample {total / 1500:.3f} test/sample {t / 297:.3f}")
