# fault: not-shuffled
# cause_class: data-loading
# family: vision
# split: tune
# set: genet, unseen
"""Crop type from Sentinel-like time series (12 dates x 4 bands). Fields come in one folder per crop."""
import os
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, random_split

CROPS = ["wheat", "maize", "rape", "beet", "potato", "fallow"]
SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
g_profiles = torch.Generator().manual_seed(1234)
PROFILE = torch.randn(len(CROPS), 12, 4, generator=g_profiles).cumsum(1) * 0.22


class CropFolder(Dataset):
    def __init__(self, idx, n):
        self.idx = idx
        shift = torch.randn(n, 1, 4) * 0.35
        self.series = PROFILE[idx] + shift + 0.45 * torch.randn(n, 12, 4)

    def __len__(self):
        return len(self.series)

    def __getitem__(self, i):
        return self.series[i], self.idx


class TempCNN(nn.Module):
    def __init__(self, ch=24, p=0.15):
        super().__init__()
        blocks, c = [], 4
        for _ in range(2):
            blocks += [nn.Conv1d(c, ch, 3, padding=1), nn.ReLU(), nn.Dropout(p)]
            c = ch
        self.features = nn.Sequential(*blocks)
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(ch * 12, 48), nn.ReLU(), nn.Linear(48, len(CROPS)))

    def forward(self, s):
        return self.fc(self.features(s.transpose(1, 2)))


def run_epoch(net, loader, opt=None):
    net.train(opt is not None)
    n = hit = tot = 0
    with torch.set_grad_enabled(opt is not None):
        for s, y in loader:
            out = net(s)
            loss = nn.functional.cross_entropy(out, y)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            tot += loss.item() * len(y)
            hit += (out.argmax(1) == y).sum().item()
            n += len(y)
    return tot / n, hit / n


train = ConcatDataset([CropFolder(i, 320) for i in range(len(CROPS))])
test = ConcatDataset([CropFolder(i, 80) for i in range(len(CROPS))])
train_loader = DataLoader(train, batch_size=32)
test_loader = DataLoader(test, batch_size=96)
net = TempCNN()
opt = torch.optim.Adam(net.parameters(), lr=1.5e-3)
for ep in range(1, 9):
    l, a = run_epoch(net, train_loader, opt)
    vl, va = run_epoch(net, test_loader)
    print(f"{ep}/8 train {l:.3f} ({a:.1%})  test {vl:.3f} ({va:.1%})")
