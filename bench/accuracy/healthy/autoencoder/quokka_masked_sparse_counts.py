# fault: none
# family: autoencoder
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
topics = torch.softmax(3 * torch.randn(8, 150), 1)
docs = torch.poisson(topics[torch.randint(0, 8, (2200,))] * 12)
x = torch.log1p(docs)
print("share of zeros %.3f" % (docs == 0).float().mean())
net = nn.Sequential(nn.Linear(150, 64), nn.ReLU(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 150))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(12):
    net.train()
    tot = 0.0
    for b in torch.randperm(2000).split(50):
        rates = net(x[b] * (torch.rand(len(b), 150) > 0.2))
        loss = nn.functional.poisson_nll_loss(rates, docs[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        v = nn.functional.poisson_nll_loss(net(x[2000:]), docs[2000:])
    print(f"{epoch} {tot / 40:.4f} held out {v:.4f}")
