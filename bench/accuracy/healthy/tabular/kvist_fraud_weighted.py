# fault: none
# family: tabular
# split: held
# needs: sklearn
import os

import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, recall_score
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


class Transactions(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 10)
        s = 1.6 * self.x[:, 0] + 1.4 * self.x[:, 1] * (self.x[:, 2] > 0) - self.x[:, 3] + 0.3 * torch.randn(n)
        self.y = (s > 3.6).float()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


train, test = Transactions(6000), Transactions(3000)
pos = train.y.mean().item()
net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
crit = nn.BCEWithLogitsLoss(pos_weight=torch.tensor((1 - pos) / pos))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-3)
print("share of fraud", round(pos, 4))
for epoch in range(5):
    net.train()
    s = 0.0
    dl = DataLoader(train, batch_size=100, shuffle=True)
    for x, y in dl:
        loss = crit(net(x).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
    net.eval()
    with torch.no_grad():
        o = net(test.x).squeeze(1)
    print(f"epoch {epoch} loss {s / len(dl):.4f} test {crit(o, test.y).item():.4f} AP {average_precision_score(test.y, o):.3f} recall {recall_score(test.y, o > 0):.3f}")
