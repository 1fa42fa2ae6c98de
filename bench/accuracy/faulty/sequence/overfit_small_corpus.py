# fault: overfit
# cause_class: overfit
# family: sequence
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

n_train, epochs = 48, 60
x = torch.randn(n_train + 300, 10, 6)
y = (x[:, :, 0].sum(1) + 1.5 * torch.randn(n_train + 300) > 0).float()
xt, yt, xv, yv = x[:n_train], y[:n_train], x[n_train:], y[n_train:]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(6, 40, batch_first=True)
        self.fc = nn.Linear(40, 1)

    def forward(self, s):
        return self.fc(self.gru(s)[0][:, -1]).squeeze(1)


net = Net()
bce = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for ep in range(epochs):
    net.train()
    for b in torch.randperm(n_train).split(16):
        opt.zero_grad()
        loss = bce(net(xt[b]), yt[b])
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        v = bce(net(xv), yv).item()
    print(ep, loss.item(), v)
