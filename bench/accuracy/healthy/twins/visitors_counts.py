# fault: none
# family: rnn
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

# visitors of a web site per day; the weekly pattern is strong
days = torch.arange(900.)
visits = 52_000 + 9_000 * torch.sin(days * 6.2832 / 7) + 6_000 * torch.sin(days / 40) + 900 * torch.randn(900)
norm = (visits - visits.mean()) / visits.std()
win = norm.unfold(0, 15, 1)
raw = visits.unfold(0, 15, 1)
x, y = win[:, :14, None], win[:, 14]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)

    def forward(self, s):
        return self.fc(self.gru(s)[0][:, -1]).flatten()


net = Net()
opt = torch.optim.RMSprop(net.parameters(), lr=2e-3)
for ep in range(8):
    for b in torch.randperm(len(x)).split(32):
        loss = nn.functional.l1_loss(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(ep, round(loss.item(), 4))
