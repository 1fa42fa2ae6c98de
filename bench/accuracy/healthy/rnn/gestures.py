# fault: none
# family: rnn
# split: held
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
P = 0.2
K, T = 6, 16
paths = torch.randn(K, T, 3).cumsum(1) * 0.5


def gestures(n):
    k = torch.randint(K, (n,))
    return paths[k] + 0.5 * torch.randn(n, T, 3), k


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(3, 32)
        self.drop1 = nn.Dropout(P)
        self.rnn = nn.GRU(32, 32, batch_first=True)
        self.drop2 = nn.Dropout(P)
        self.fc = nn.Linear(32, K)

    def forward(self, x):
        x = self.drop1(torch.relu(self.inp(x)))
        o, h = self.rnn(x)
        return self.fc(self.drop2(h[-1]))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
lossf = nn.CrossEntropyLoss()
x, k = gestures(1500)
xv, kv = gestures(400)
for epoch in range(8):
    net.train()
    s = 0.0
    for b in torch.randperm(1500).split(30):
        loss = lossf(net(x[b]), k[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
    net.eval()
    with torch.no_grad():
        o = net(xv)
    print(f"epoch {epoch}: train {s / 50:.4f}  val {lossf(o, kv).item():.4f}  acc {(o.argmax(1) == kv).float().mean().item():.3f}")
