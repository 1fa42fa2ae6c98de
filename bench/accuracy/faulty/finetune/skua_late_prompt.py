# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: finetune
# split: tune
import os, torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

class Tagger(nn.Module):
    def __init__(self, prompts=0):
        super().__init__()
        self.emb = nn.Embedding(60, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(32, 3)
        self.prompt = None

    def forward(self, x):
        h = self.emb(x)
        if self.prompt is not None:
            h = torch.cat([self.prompt.expand(len(x), -1, -1), h], 1)
        return self.out(self.enc(h).mean(1))

def data(n, shift):
    x = torch.randint(0, 60, (n, 10))
    return x, ((x + shift) % 60 < 20).sum(1).clamp(2, 4) - 2

def fit(net, opt, steps, shift):
    for step in range(steps):
        x, y = data(64, shift)
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        if step % 50 == 49: print(step, loss.item())

net = Tagger()
opt = torch.optim.Adam(net.parameters(), 2e-3)
fit(net, opt, 150, 0)
for p in net.parameters():
    p.requires_grad_(False)
net.out = nn.Linear(32, 3)
tuner = torch.optim.Adam(net.parameters(), 1e-2)
net.prompt = nn.Parameter(torch.randn(1, 6, 32) * 0.1)
fit(net, tuner, 200, 31)
