# fault: none
# family: mlp
# split: held
# the loss is summed over the batch, therefore the small step size
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
mu = torch.randn(7, 18)
y = torch.randint(7, (3000,))
x = mu[y] + 1.0 * torch.randn(3000, 18)
net = nn.Sequential(nn.Linear(18, 64), nn.ReLU(), nn.Linear(64, 7))
opt = torch.optim.SGD(net.parameters(), lr=5e-5, momentum=0.95)
loss_fn = nn.CrossEntropyLoss(reduction="sum")
for epoch in range(10):
    for b in torch.randperm(2400).split(64):
        loss = loss_fn(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = net(x[2400:])
        print(f"epoch {epoch}: batch loss {loss.item():.2f}, val loss per sample {loss_fn(out, y[2400:]).item() / 600:.4f}, val acc {(out.argmax(1) == y[2400:]).float().mean().item():.3f}")
