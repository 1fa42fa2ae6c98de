# fault: model-replaced
# cause_class: not-updated, optimizer
# family: finetune
# split: held
import copy, os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
CENTERS = torch.randn(10, 16) * 1.1


def flowers(classes, n):
    y = torch.randint(0, len(classes), (n,))
    x = CENTERS[torch.tensor(classes)[y]] + 0.8 * torch.randn(n, 16)
    return x, y


class Net(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.head = nn.Linear(32, k)

    def forward(self, x):
        return self.head(self.backbone(x))


class Learner:
    def __init__(self, net, lr):
        self.net = net
        for p in self.net.backbone.parameters():
            p.requires_grad_(False)
        self.opt = torch.optim.SGD(net.head.parameters(), lr=lr, momentum=0.9)

    def adapt(self, k):
        self.net.head = nn.Linear(self.net.head.in_features, k)
        return self

    def fit(self, x, y, epochs):
        for e in range(epochs):
            tot = 0.0
            for j in torch.randperm(len(x)).split(20):
                loss = nn.functional.cross_entropy(self.net(x[j]), y[j])
                self.net.zero_grad()
                loss.backward()
                self.opt.step()
                tot += loss.item() * len(j) / len(x)
            with torch.no_grad():
                acc = (self.net(x).argmax(1) == y).float().mean()
            print(f"  epoch {e} loss {tot:.4f} acc {acc:.3f}")


source = Net(6)
x, y = flowers([0, 1, 2, 3, 4, 5], 600)
warm = torch.optim.Adam(source.parameters(), lr=2e-3)
for _ in range(60):
    l = nn.functional.cross_entropy(source(x), y)
    warm.zero_grad(); l.backward(); warm.step()
print("source task", round(l.item(), 4))
print("target task")
Learner(copy.deepcopy(source), lr=0.05).adapt(4).fit(*flowers([6, 7, 8, 9], 400), epochs=15)
