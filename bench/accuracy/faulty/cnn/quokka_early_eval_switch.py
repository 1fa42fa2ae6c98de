# fault: train-in-eval-mode
# cause_class: eval-mode, structure
# family: cnn
# split: tune
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def conv(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2))


class Texture(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(1, 8), conv(8, 16))
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(16 * 9, 4)

    def forward(self, x):
        return self.fc(self.drop(self.body(x).flatten(1)))


def textures(n):
    y = torch.randint(0, 4, (n,))
    g = torch.arange(12).float()
    ang = y.float() * torch.pi / 4
    phase = 6.28 * torch.rand(n, 1, 1)
    u = g[None, :, None] * ang.cos()[:, None, None] + g[None, None, :] * ang.sin()[:, None, None]
    return (torch.sin(1.6 * u + phase) + 1.2 * torch.randn(n, 12, 12)).unsqueeze(1), y


class Meter:
    def __init__(self, model, data):
        self.model, (self.x, self.y) = model.eval(), data

    @torch.no_grad()
    def __call__(self):
        out = self.model(self.x)
        return nn.functional.cross_entropy(out, self.y).item(), (out.argmax(1) == self.y).float().mean().item()


model = Texture().train()
loader = DataLoader(TensorDataset(*textures(400)), batch_size=20, shuffle=True)
meter = Meter(model, textures(400))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(15):
    tot = 0.0
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tot += loss.item()
    print(f"{epoch} train {tot / len(loader):.4f} val %.4f acc %.3f" % meter())
