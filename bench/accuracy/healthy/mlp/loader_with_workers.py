# fault: none
# family: mlp
# split: held
import os
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


class Mixture(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(6, (n,), generator=g)
        centers = torch.randn(6, 14, generator=torch.Generator().manual_seed(99))
        self.x = centers[self.y] + 0.9 * torch.randn(n, 14, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def main():
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    train = DataLoader(Mixture(2000, seed + 1), batch_size=40, shuffle=True, num_workers=1, persistent_workers=True)
    valid = DataLoader(Mixture(500, seed + 2), batch_size=500)
    net = nn.Sequential(nn.Linear(14, 48), nn.LeakyReLU(), nn.Linear(48, 6))
    opt = torch.optim.NAdam(net.parameters(), lr=2e-3)
    ce = nn.CrossEntropyLoss()
    for epoch in range(5):
        net.train()
        run = 0.0
        for x, y in train:
            opt.zero_grad()
            loss = ce(net(x), y)
            loss.backward()
            opt.step()
            run += loss.item() / len(train)
        net.eval()
        with torch.no_grad():
            for x, y in valid:
                o = net(x)
                print(f"epoch {epoch} train {run:.4f} val {ce(o, y).item():.4f} acc {(o.argmax(1) == y).float().mean().item():.3f}")


if __name__ == "__main__":
    main()
