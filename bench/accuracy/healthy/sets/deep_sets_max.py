# fault: none
# family: sets
# split: tune
import os
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class PointSets(Dataset):
    """Sets of 3 to 12 points; target is the spread (largest minus smallest first coordinate)."""
    def __init__(self, n):
        self.sets = [torch.randn(int(k), 2) for k in torch.randint(3, 13, (n,))]

    def __len__(self):
        return len(self.sets)

    def __getitem__(self, i):
        s = self.sets[i]
        return s, (s[:, 0].max() - s[:, 0].min() - 2.4) / 0.9


def collate(batch):
    sets, y = zip(*batch)
    mask = pad_sequence([torch.ones(len(s)) for s in sets], batch_first=True)
    return pad_sequence(sets, batch_first=True), mask, torch.stack(y)


class DeepSets(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(2, h), nn.ReLU(), nn.Linear(h, h))
        self.rho = nn.Sequential(nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 1))

    def forward(self, x, mask):
        f = self.phi(x).masked_fill(mask[..., None] == 0, float("-inf")).max(1).values
        return self.rho(f).squeeze(-1)


train = DataLoader(PointSets(1600), batch_size=40, shuffle=True, collate_fn=collate)
val = DataLoader(PointSets(300), batch_size=300, collate_fn=collate)
net = DeepSets()
opt = torch.optim.NAdam(net.parameters(), lr=2e-3)
for epoch in range(7):
    net.train()
    s = 0
    for x, m, y in train:
        opt.zero_grad()
        loss = nn.functional.l1_loss(net(x, m), y)
        loss.backward()
        opt.step()
        s += loss.item() / len(train)
    net.eval()
    with torch.no_grad():
        v = [nn.functional.l1_loss(net(x, m), y).item() for x, m, y in val][0]
    print(f"epoch {epoch} train mae {s:.4f} val mae {v:.4f}")
