# fault: none
# family: adapters
# split: held
"""
Pretrain a small encoder on formal sentences, then adapt it with LoRA to slang,
where several words flip their polarity. Only the low-rank factors train in stage two.
"""
import math
import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

VOCAB, T, D = 60, 14, 40
POS, NEG, NOT = range(2, 14), range(14, 26), 1


def batch(n, slang):
    xs, ys = [], []
    for _ in range(n):
        s = [random.randint(26, VOCAB - 1) for _ in range(T)]
        score = 0
        for k in random.sample(range(1, T), 3):
            w = random.randint(2, 25)
            s[k] = w
            v = 1 if w in POS else -1
            if slang and w % 3 == 0:      # "sick", "wicked", "basic" ...
                v = -v
            score += v
        xs.append(s)
        ys.append(int(score > 0))
    return torch.tensor(xs), torch.tensor(ys)


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.up, self.down = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x):
        h = self.n1(x)
        a = (self.q(h) @ self.k(h).transpose(1, 2) / math.sqrt(h.size(-1))).softmax(-1)
        x = x + self.o(a @ self.v(h))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCAB, D), nn.Parameter(0.02 * torch.randn(T, D))
        self.layers = nn.ModuleList(Layer(D) for _ in range(2))
        self.cls = nn.Linear(D, 2)

    def forward(self, x):
        h = self.tok(x) + self.pos
        for layer in self.layers:
            h = layer(h)
        return self.cls(h.mean(1))


class LoRA(nn.Module):
    def __init__(self, base, r=8, alpha=16):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.scale = alpha / r
        self.down = nn.Parameter(torch.empty(r, base.in_features))
        self.up = nn.Parameter(torch.empty(base.out_features, r))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        nn.init.zeros_(self.up)

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.T @ self.up.T)


def accuracy(net, slang):
    x, y = batch(600, slang)
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()


net = Encoder()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(160):
    x, y = batch(40, slang=False)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
print(f"base: formal {accuracy(net, False):.3f}  slang {accuracy(net, True):.3f}")

net.requires_grad_(False)
for layer in net.layers:
    for name in ("q", "v", "up", "down"):
        setattr(layer, name, LoRA(getattr(layer, name)))
train = [p for p in net.parameters() if p.requires_grad]
print("trainable", sum(p.numel() for p in train), "of", sum(p.numel() for p in net.parameters()))
opt = torch.optim.AdamW(train, lr=5e-3, weight_decay=0.0)
for step in range(220):
    x, y = batch(40, slang=True)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 44 == 0:
        print(f"lora {step:3d}  loss {loss.item():.3f}")
print(f"adapted: slang {accuracy(net, True):.3f}")
