# fault: vanishing-sigmoids
# cause_class: activation, structure
# family: cnn
# split: held
# twin: healthy/cnn/tiles_sigmoid.py
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

proto = torch.randn(6, 1, 12, 12)
def tiles(n):
    y = torch.randint(6, (n,))
    return proto[y] + 0.8 * torch.randn(n, 1, 12, 12), y

act = nn.Sigmoid
blocks = []
ch = 1
for out in [8, 12, 12, 16, 16, 16]:
    blocks += [nn.Conv2d(ch, out, 3, padding=1, stride=2 if out == 12 and ch == 8 else 1), act()]
    ch = out
net = nn.Sequential(*blocks, nn.Flatten(), nn.Linear(16 * 36, 32), act(), nn.Linear(32, 6))
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
ce = nn.CrossEntropyLoss()
x, y = tiles(1200)
xv, yv = tiles(300)
for epoch in range(11):
    run = 0.0
    for i in torch.randperm(1200).split(30):
        loss = ce(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 40
    with torch.no_grad():
        o = net(xv)
    print(f"epoch {epoch + 1}: loss {run:.4f}, val loss {ce(o, yv).item():.4f}, val acc {(o.argmax(1) == yv).float().mean().item():.3f}")
