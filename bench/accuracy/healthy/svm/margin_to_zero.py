# fault: none
# family: svm
# split: tune
import os

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class LinearSVM(torch.nn.Module):
    def __init__(self, d, classes):
        super().__init__()
        self.w = torch.nn.Linear(d, classes)

    def forward(self, x):
        return self.w(x)


d, classes = 20, 5
mu = torch.randn(classes, d) * 1.6
y = torch.randint(0, classes, (2000,))
x = mu[y] + torch.randn(2000, d) * 0.8
x = (x - x[:1500].mean(0)) / x[:1500].std(0)
train = DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=30, shuffle=True)

svm = LinearSVM(d, classes)
hinge = torch.nn.MultiMarginLoss()
opt = torch.optim.SGD(svm.parameters(), lr=0.2, weight_decay=1e-4)
for epoch in range(10):
    svm.train()
    total, exact = 0.0, 0
    for xb, yb in train:
        loss = hinge(svm(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        exact += loss.item() == 0
    svm.eval()
    with torch.no_grad():
        out = svm(x[1500:])
    print(f"epoch {epoch} hinge {total / 50:.5f} batches at zero {exact}/50 test hinge {hinge(out, y[1500:]):.5f} acc {(out.argmax(1) == y[1500:]).float().mean():.3f}")
