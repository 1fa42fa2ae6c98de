# fault: regression-targets-into-classification-loss
# cause_class: loss, labels
# family: timeseries
# split: held
# 8-step-ahead forecast of a noisy seasonal series with a small conv net
import os, math, torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(int(os.environ.get('SEED', '0')))

t = torch.arange(3000).float()
series = (torch.sin(2 * math.pi * t / 24) + 0.6 * torch.sin(2 * math.pi * t / 24 / 7)
          + 0.15 * torch.randn(3000))
series = (series - series[:2400].mean()) / series[:2400].std()


class Windows(Dataset):
    def __init__(self, s, back=48, ahead=8):
        self.s, self.back, self.ahead = s, back, ahead

    def __len__(self):
        return len(self.s) - self.back - self.ahead + 1

    def __getitem__(self, i):
        a = i + self.back
        return self.s[i:a].unsqueeze(0), self.s[a:a + self.ahead]


class Forecaster(nn.Module):
    def __init__(self, ahead=8):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(1, 16, 5, padding=2), nn.ReLU(),
            nn.Conv1d(16, 16, 5, padding=2, stride=2), nn.ReLU(),
            nn.Flatten(), nn.Linear(16 * 24, 64), nn.ReLU(), nn.Linear(64, ahead))

    def forward(self, x):
        return self.net(x)


LOSSES = {'clf': nn.CrossEntropyLoss, 'reg': nn.MSELoss}
config = dict(task='clf', lr=1e-3, epochs=7, batch=64)

train = DataLoader(Windows(series[:2400]), batch_size=config['batch'], shuffle=True)
test = DataLoader(Windows(series[2400:]), batch_size=600)
model = Forecaster()
criterion = LOSSES[config['task']]()
optim = torch.optim.Adam(model.parameters(), lr=config['lr'])

for epoch in range(config['epochs']):
    model.train()
    tot = n = 0
    for xb, yb in train:
        optim.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optim.step()
        tot += loss.item(); n += 1
    model.eval()
    with torch.no_grad():
        xb, yb = next(iter(test))
        mae = (model(xb) - yb).abs().mean()
    print(f'epoch {epoch}: train loss {tot / n:.4f}   test MAE {mae:.3f}  (MAE of zero: {yb.abs().mean():.3f})')
