# fault: none
# family: transformer
# split: held
import argparse, os
import torch, torch.nn as nn, torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=300)
ap.add_argument("--lr", type=float, default=2e-3)
args = ap.parse_args()
torch.manual_seed(int(os.environ.get("SEED", 0)))

# find the marked token: sequence of (value, flag); the answer is the value under the flag
V, L = 8, 10
def get(n):
    v = torch.randint(V, (n, L)); pos = torch.randint(L, (n,))
    flag = F.one_hot(pos, L)
    return v, flag, v[torch.arange(n), pos]

class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.att = nn.MultiheadAttention(d, h, batch_first=True)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
    def forward(self, x):
        y = self.n1(x)
        x = x + self.att(y, y, y, need_weights=False)[0]
        return x + self.ff(self.n2(x))

class Net(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.ev, self.ef = nn.Embedding(V, d), nn.Embedding(2, d)
        self.blocks = nn.ModuleList([Block(d, 4) for _ in range(2)])
        self.head = nn.Linear(d, V)
    def forward(self, v, f):
        x = self.ev(v) + self.ef(f)
        for b in self.blocks:
            x = b(x)
        return self.head(x.mean(1))

net = Net()
opt = torch.optim.Adam(net.parameters(), lr=args.lr)
test = get(500)
for step in range(1, args.steps + 1):
    v, f, y = get(64)
    loss = F.nll_loss(net(v, f).log_softmax(-1), y)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            o = net(test[0], test[1])
        print(f"step {step} loss {loss.item():.4f} test acc {(o.argmax(1) == test[2]).float().mean():.3f}")
