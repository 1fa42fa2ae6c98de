# fault: no-nonlinearity
# cause_class: structure, activation
# family: cnn
# split: held
# twin: healthy/cnn/fabric_energy.py
import os, torch
import torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

# woven patterns at four angles; phase is arbitrary
ang = torch.tensor([0., .785, 1.571, 2.356])
gy, gx = torch.meshgrid(torch.arange(16.), torch.arange(16.), indexing="ij")
def weave(n):
    y = torch.randint(4, (n,))
    a = ang[y].view(-1, 1, 1)
    ph = 6.2832 * torch.rand(n, 1, 1)
    return (torch.sin(1.4 * (gx * a.cos() + gy * a.sin()) + ph) + .6 * torch.randn(n, 16, 16)).unsqueeze(1), y

class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 12, 5, padding=2)
        self.b = nn.Conv2d(12, 16, 3, stride=2, padding=1)
        self.c = nn.Conv2d(16, 16, 3, stride=2, padding=1)
        self.d = nn.Linear(256, 4)
    def forward(self, x):
        x = self.a(x)
        x = self.b(x)
        x = self.c(x)
        return self.d(x.flatten(1))

net = ConvNet()
opt = torch.optim.Adam(net.parameters(), 1e-3)
Xv, Yv = weave(500)
for step in range(1, 501):
    x, y = weave(48)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            o = net(Xv)
        print(f"step {step}: train {loss:.4f}, val {F.cross_entropy(o, Yv):.4f}, val acc {(o.argmax(1) == Yv).float().mean():.3f}")
