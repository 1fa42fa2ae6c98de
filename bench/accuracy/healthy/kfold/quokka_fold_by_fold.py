# fault: none
# family: kfold
# split: tune
import os
import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


def make_model():
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))


def make_data(n=900):
    x = torch.randn(n, 10)
    score = torch.stack([x[:, 0] + x[:, 1], x[:, 2] * 1.4, -x[:, 0] + x[:, 3] ** 2 - 0.8], 1)
    return x, (score + 0.3 * torch.randn(n, 3)).argmax(1)


def train_fold(x, y, rows, epochs=15):
    model = make_model()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=5)
    for e in range(epochs):
        model.train()
        for b in rows[torch.randperm(len(rows))].split(36):
            loss = nn.functional.cross_entropy(model(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
    model.eval()
    return model, loss.item()


x, y = make_data()
folds = torch.randperm(len(x)).chunk(5)
accs = []
for k, test in enumerate(folds):
    rows = torch.cat([f for j, f in enumerate(folds) if j != k])
    model, last = train_fold(x, y, rows)
    with torch.no_grad():
        accs.append((model(x[test]).argmax(1) == y[test]).float().mean().item())
    print(f"fold {k} last loss {last:.4f} accuracy {accs[-1]:.3f}")
print("mean %.3f" % (sum(accs) / 5))
