# fault: softmax-twice
# cause_class: output-activation, loss
# family: transformer
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
VOCAB, LEN, CLASSES = 120, 12, 10


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.h = h

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, d)
        x = x + self.proj(a)
        return x + self.mlp(self.ln2(x))


class IntentNet(nn.Module):
    """Two expert heads whose answers are blended by a gate."""

    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d)
        self.pos = nn.Parameter(0.02 * torch.randn(LEN, d))
        self.blocks = nn.Sequential(Block(d, 4))
        self.experts = nn.ModuleList(nn.Linear(d, CLASSES) for _ in range(2))
        self.gate = nn.Linear(d, 2)

    def forward(self, ids):
        h = self.blocks(self.emb(ids) + self.pos).mean(1)
        g = self.gate(h).softmax(-1)
        out = torch.stack([F.softmax(e(h), dim=-1) for e in self.experts], 1)
        return (g.unsqueeze(-1) * out).sum(1)


def batch(n, table):
    y = torch.randint(0, CLASSES, (n,))
    ids = torch.randint(0, VOCAB, (n, LEN))
    cols = torch.rand(n, LEN).argsort(1)[:, :3]
    ids.scatter_(1, cols, table[y][torch.arange(n)[:, None], torch.randint(0, 6, (n, 3))])
    return ids, y


table = torch.randperm(VOCAB)[: CLASSES * 6].view(CLASSES, 6)
net = IntentNet()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
val = batch(500, table)
for it in range(1, 501):
    net.train()
    ids, y = batch(48, table)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(ids)
    loss = F.cross_entropy(out.float(), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        net.eval()
        with torch.no_grad():
            o = net(val[0])
        print(f"it {it} loss {loss.item():.4f} val {F.cross_entropy(o, val[1]).item():.4f} acc {(o.argmax(1) == val[1]).float().mean():.3f}")
