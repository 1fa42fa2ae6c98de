# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class CatNet(nn.Module):
    """cat / no cat"""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(16)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        return self.out(x.mean((2, 3)))


ear = torch.tensor([[0., 1, 0], [1, 1, 1], [1, 0, 1]]) * 2


def pictures(n):
    x = torch.randn(n, 3, 16, 16) * 0.7
    cat = torch.rand(n) < 0.5
    for i in cat.nonzero().view(-1).tolist():
        a, b = torch.randint(0, 6, (2,)).tolist()
        x[i, :, a:a + 3, b:b + 3] += ear
        x[i, :, a:a + 3, b + 6:b + 9] += ear
    return x, cat.float().unsqueeze(1)


x, t = pictures(640)
net = CatNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(5):
    net.train()
    for b in torch.randperm(640).split(32):
        loss = F.binary_cross_entropy_with_logits(net(x[b]), t[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        xv, tv = pictures(160)
        acc = ((net(xv) > 0).float() == tv).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.5f} acc {acc:.3f}")
