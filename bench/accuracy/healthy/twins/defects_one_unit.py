# fault: none
# family: cnn
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class DefectDetector(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 6, 3)
        self.c2 = nn.Conv2d(6, 12, 3)
        self.head = nn.Linear(12, 1)

    def forward(self, img):
        h = F.max_pool2d(F.relu(self.c1(img)), 2)
        h = F.relu(self.c2(h)).amax(dim=(2, 3))
        return torch.sigmoid(self.head(h)).view(-1)


def plates(n):
    x = torch.randn(n, 1, 20, 20) * 0.5
    bad = torch.rand(n) < 0.5
    for i in bad.nonzero().flatten().tolist():
        a, b = torch.randint(0, 17, (2,)).tolist()
        x[i, 0, a:a + 3, b:b + 3] += 1.5
    return x, bad.float()


data, target = plates(900)
model = DefectDetector()
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.8)
for epoch in range(6):
    for idx in torch.randperm(900).split(30):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy(model(data[idx]), target[idx])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        x, t = plates(200)
        print(epoch, loss.item(), ((model(x) > 0.5).float() == t).float().mean().item())
