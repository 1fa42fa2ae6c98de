# fault: output-range
# cause_class: output-activation, structure, data-scaling
# family: autoencoder
# split: tune
# needs: sklearn
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))


def get_data():
    images = torch.tensor(load_digits().data, dtype=torch.float32)
    mean, std = images.mean(), images.std()
    images = (images - mean) / std          # as with the ImageNet numbers
    return images[:1500], images[1500:]


class Encoder(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, latent))

    def forward(self, x):
        return self.net(x)


class Decoder(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(latent, 96), nn.ReLU(), nn.Linear(96, 64))

    def forward(self, z):
        return torch.sigmoid(self.net(z))


class AutoEncoder(nn.Module):
    def __init__(self, latent=16):
        super().__init__()
        self.encoder = Encoder(latent)
        self.decoder = Decoder(latent)

    def forward(self, x):
        return self.decoder(self.encoder(x))


def run(epochs=15):
    train, valid = get_data()
    loader = DataLoader(TensorDataset(train), batch_size=50, shuffle=True)
    ae = AutoEncoder()
    opt = torch.optim.Adam(ae.parameters(), lr=2e-3)
    mse = nn.MSELoss()
    for e in range(epochs):
        ae.train()
        for (x,) in loader:
            opt.zero_grad()
            loss = mse(ae(x), x)
            loss.backward()
            opt.step()
        ae.eval()
        with torch.no_grad():
            v = mse(ae(valid), valid)
        print(f"{e:02d} train {loss.item():.4f} valid {v.item():.4f}")


run()
