# fault: no-gradient
# cause_class: not-updated, structure
# family: cnn
# split: held
# twin: healthy/cnn/parquet.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get('SEED', 0)))

N_CLASS = 6
kern = torch.randn(N_CLASS, 1, 4, 4)

def make(n):
    # texture = sparse random points convolved with the class's kernel
    y = torch.randint(N_CLASS, (n,))
    pts = (torch.rand(n, 1, 17, 17) < 0.08).float() * torch.sign(torch.randn(n, 1, 17, 17))
    full = F.conv2d(pts, kern, padding=0)
    return full[torch.arange(n), y].unsqueeze(1) + 0.1 * torch.randn(n, 1, 14, 14), y

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 4)
        self.conv2 = nn.Conv2d(12, 12, 3)
        self.fc = nn.Linear(12, N_CLASS)

    def features(self, x):
        x = F.relu(self.conv1(x))
        return F.relu(self.conv2(x)).mean((2, 3))

    def forward(self, x):
        with torch.no_grad():
            f = self.features(x)
        return self.fc(f)

net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
X, Y = make(1500)
XT, YT = make(400)
for epoch in range(14):
    total = 0
    for i in torch.randperm(1500).split(30):
        loss = F.cross_entropy(net(X[i]), Y[i])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 50
    with torch.no_grad():
        out = net(XT)
    print('epoch', epoch, 'train %.4f' % total, 'test %.4f' % F.cross_entropy(out, YT), 'acc %.3f' % (out.argmax(1) == YT).float().mean())
