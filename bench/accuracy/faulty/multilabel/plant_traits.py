# fault: labels-outside-range
# cause_class: labels, loss
# family: multilabel
# split: held
# twin: healthy/multilabel/plant_traits.py
# traits of plants; the survey form codes 1 = no, 2 = yes
import os
import torch
from torch import nn
from torch.utils.data import TensorDataset, DataLoader
torch.manual_seed(int(os.environ.get("SEED", 0)))

n, traits = 2000, 7
latent = torch.randn(n, 5)
X = torch.tanh(latent @ torch.randn(5, 30)) + 0.15 * torch.randn(n, 30)
answers = (latent @ torch.randn(5, traits) > 0.3).float() + 1
Y = answers

loader = DataLoader(TensorDataset(X[:1600], Y[:1600]), 40, shuffle=True)
net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, traits))
bce = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for ep in range(15):
    net.train()
    run = 0
    for x, y in loader:
        loss = bce(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        run += loss.item()
    net.eval()
    with torch.no_grad():
        z = net(X[1600:])
        hit = ((z > 0) == (answers[1600:] > 1.5)).float().mean()
    print(f"{ep:2d} train {run/len(loader):8.4f} val {bce(z, Y[1600:]):8.4f} traits right {hit:.3f}")
