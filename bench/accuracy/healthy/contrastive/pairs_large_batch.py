# fault: none
# family: contrastive
# split: held
# two noisy views of the same point
import os, math
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))
B = 128
mix = torch.randn(10, 40) / 10 ** .5

def views():
    z = torch.randn(B, 10)
    return [torch.tanh((z + .25 * torch.randn(B, 10)) @ mix) + .3 * torch.randn(B, 40) for _ in range(2)]

enc = nn.Sequential(nn.Linear(40, 96), nn.ReLU(), nn.Linear(96, 32))
opt = torch.optim.SGD(enc.parameters(), lr=0.01, momentum=.9, weight_decay=1e-4)
def nce():
    a, b = (F.normalize(enc(v), dim=1) for v in views())
    s = a @ b.T / .1
    t = torch.arange(B)
    return (F.cross_entropy(s, t) + F.cross_entropy(s.T, t)) / 2, (s.argmax(1) == t).float().mean()
print("chance", math.log(B))
for step in range(1, 1001):
    loss, _ = nce()
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 100 == 0:
        with torch.no_grad():
            r = [nce() for _ in range(5)]
        print(f"step {step} loss {loss:.4f} fresh loss {sum(x[0] for x in r)/5:.4f} top-1 {sum(x[1] for x in r)/5:.3f}")
