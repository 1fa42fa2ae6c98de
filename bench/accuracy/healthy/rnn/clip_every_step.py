# fault: none
# family: rnn
# split: held
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
f = torch.tensor([0.25, 0.4, 0.6, 0.9])


def waves(n):
    k = torch.randint(4, (n,))
    t = torch.arange(24.)
    return (torch.sin(f[k][:, None] * t + 6.28 * torch.rand(n, 1)) + 0.3 * torch.randn(n, 24)).unsqueeze(-1), k


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 32, batch_first=True)
        self.fc = nn.Linear(32, 4)

    def forward(self, x):
        return self.fc(self.lstm(x)[0].mean(1))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
xv, kv = waves(400)
norms = []
for step in range(1, 501):
    x, k = waves(40)
    loss = nn.functional.cross_entropy(net(x), k)
    opt.zero_grad()
    loss.backward()
    norms.append(nn.utils.clip_grad_norm_(net.parameters(), 0.05).item())   # nearly always cuts
    opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            o = net(xv)
        print(f"{step} loss {loss.item():.4f} grad norm before clipping {sum(norms[-50:]) / 50:.3f} val {nn.functional.cross_entropy(o, kv).item():.4f} acc {(o.argmax(1) == kv).float().mean().item():.3f}")
