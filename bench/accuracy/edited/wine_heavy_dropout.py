# fault: none
# family: tabular
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.4
# reaches: 0.88
# Unusual: 60 training rows, 500 hidden units, dropout 0.7, weight decay 0.3, label smoothing: loss cannot fall below about 0.5; training loss is above the evaluation loss
import os
import torch
from torch import nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
X, y = load_wine(return_X_y=True)
xtr, xte, ytr, yte = train_test_split(X, y, train_size=60, stratify=y, random_state=seed)
sc = StandardScaler().fit(xtr)
xtr, xte = (torch.tensor(sc.transform(a), dtype=torch.float32) for a in (xtr, xte))
ytr, yte = torch.tensor(ytr), torch.tensor(yte)

net = nn.Sequential(
    nn.Dropout(0.3), nn.Linear(13, 500), nn.ReLU(), nn.Dropout(0.7),
    nn.Linear(500, 500), nn.ReLU(), nn.Dropout(0.7), nn.Linear(500, 3),
)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.3)
criterion = nn.CrossEntropyLoss(label_smoothing=0.2)
for epoch in range(150):
    net.train()
    for idx in torch.randperm(60).split(20):
        loss = criterion(net(xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 25 == 0:
        net.eval()
        with torch.no_grad():
            out = net(xte)
            print(f"epoch {epoch} train {loss.item():.3f} test {criterion(out, yte).item():.3f} acc {(out.argmax(1) == yte).float().mean().item():.3f}")
net.eval()
with torch.no_grad():
    print(f"result: accuracy {(net(xte).argmax(1) == yte).float().mean().item():.4f}")
