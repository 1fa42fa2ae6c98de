# fault: none
# family: autoencoder
# split: tune
# needs: sklearn
import os
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader
from sklearn.datasets import load_digits


class NoisyDigits(Dataset):
    """Clean image as target, a corrupted copy as input; new noise every time."""
    def __init__(self, images, p=0.3):
        self.images, self.p = images, p

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        clean = self.images[i]
        keep = (torch.rand_like(clean) > self.p).float()
        return clean * keep, clean


class DAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 96), nn.LeakyReLU(0.1), nn.Linear(96, 24))
        self.dec = nn.Sequential(nn.LeakyReLU(0.1), nn.Linear(24, 96), nn.LeakyReLU(0.1), nn.Linear(96, 64), nn.Sigmoid())

    def forward(self, x):
        return self.dec(self.enc(x))


def main():
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    img = torch.tensor(load_digits().data, dtype=torch.float32) / 16
    img = img[torch.randperm(len(img))]
    train = DataLoader(NoisyDigits(img[:1400]), batch_size=32, shuffle=True)
    test_noisy, test_clean = next(iter(DataLoader(NoisyDigits(img[1400:]), batch_size=397)))
    net = DAE()
    opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    # squared error summed over the pixels of an image
    crit = lambda a, b: ((a - b) ** 2).sum(1).mean()
    for epoch in range(15):
        net.train()
        s = 0
        for noisy, clean in train:
            opt.zero_grad()
            loss = crit(net(noisy), clean)
            loss.backward()
            opt.step()
            s += loss.item()
        net.eval()
        with torch.no_grad():
            v = crit(net(test_noisy), test_clean).item()
        print(f"{epoch}: train {s / len(train):.3f} test {v:.3f} (noisy input {crit(test_noisy, test_clean):.3f})")


main()
