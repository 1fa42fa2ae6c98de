# fault: loss-misused
# cause_class: loss
# family: vae
# split: tune
# needs: sklearn
import os
import torch
from torch import nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))


class VAE(nn.Module):
    def __init__(self, latent=6):
        super().__init__()
        self.fc1 = nn.Linear(64, 80)
        self.fc21, self.fc22 = nn.Linear(80, latent), nn.Linear(80, latent)
        self.fc3, self.fc4 = nn.Linear(latent, 80), nn.Linear(80, 64)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc21(h), self.fc22(h)

    def reparameterize(self, mu, logvar):
        return mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    bce = F.binary_cross_entropy(recon_x, x)
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


x = torch.tensor(load_digits().data, dtype=torch.float32) / 16
x = x[torch.randperm(len(x))]
train, test = x[:1500], x[1500:]
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(1, 16):
    model.train()
    for idx in torch.randperm(len(train)).split(60):
        optimizer.zero_grad()
        recon, mu, logvar = model(train[idx])
        loss = loss_function(recon, train[idx], mu, logvar)
        loss.backward()
        optimizer.step()
    if epoch % 3 == 0:
        model.eval()
        with torch.no_grad():
            recon, mu, logvar = model(test)
            print(f"epoch {epoch} loss {loss_function(recon, test, mu, logvar):.4f} "
                  f"reconstruction error {((recon - test) ** 2).sum(1).mean():.3f} "
                  f"(mean image: {((test - test.mean(0)) ** 2).sum(1).mean():.3f}) spread of outputs {recon.std(0).mean():.4f}")
