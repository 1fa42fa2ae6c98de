# fault: none
# family: regression
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

X = torch.rand(2500, 5) * 2 - 1
y = (torch.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + 0.05 * torch.randn(2500)).unsqueeze(1)
y = (y - y.mean()) / y.std()

model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
for m in model:
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, 0, (2 / m.in_features) ** 0.5)
        nn.init.zeros_(m.bias)

opt = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.MSELoss()
train_x, train_y, test_x, test_y = X[:2000], y[:2000], X[2000:], y[2000:]
print("epoch,train,test")
for epoch in range(16):
    perm = torch.randperm(2000)
    tot = 0
    for i in range(0, 2000, 50):
        j = perm[i:i + 50]
        loss = loss_fn(model(train_x[j]), train_y[j])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 40
    with torch.no_grad():
        print(f"{epoch},{tot:.5f},{loss_fn(model(test_x), test_y).item():.5f}")
