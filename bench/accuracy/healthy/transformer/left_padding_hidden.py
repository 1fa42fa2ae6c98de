# fault: none
# family: transformer
# split: tune
# A decoder with attention of its own; sequences are padded on the left, and padding is hidden as the future is.
import os, math, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", "0")))
V, T, D = 14, 12, 32
class Attn(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D, 3 * D); self.proj = nn.Linear(D, D)
    def forward(self, x, mask):
        B, L, _ = x.shape
        q, k, v = (t.view(B, L, 2, D // 2).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        a = (q @ k.transpose(-2, -1)) / math.sqrt(D // 2)
        a = a.masked_fill(~mask, -1e9).softmax(-1)
        return self.proj((a @ v).transpose(1, 2).reshape(B, L, D))
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n1, self.n2 = Attn(), nn.LayerNorm(D), nn.LayerNorm(D)
        self.f = nn.Sequential(nn.Linear(D, 64), nn.GELU(), nn.Linear(64, D))
    def forward(self, x, m):
        x = x + self.a(self.n1(x), m); return x + self.f(self.n2(x))
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, D), nn.Embedding(T, D)
        self.blocks = nn.ModuleList([Block(), Block()]); self.norm = nn.LayerNorm(D); self.head = nn.Linear(D, V)
    def forward(self, ids):
        L = ids.shape[1]
        mask = torch.tril(torch.ones(L, L, dtype=torch.bool))[None, None] & (ids != 0)[:, None, None, :]
        x = self.tok(ids) + self.pos(torch.arange(L))
        for b in self.blocks: x = b(x, mask)
        return self.head(self.norm(x))
net = GPT(); opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for step in range(150):
    rows = torch.zeros(32, T + 1, dtype=torch.long)
    for r in rows:
        n = int(torch.randint(5, T + 1, (1,))); s, d = torch.randint(0, 10, (1,)), torch.randint(1, 4, (1,))
        r[T + 1 - n:] = (s + d * torch.arange(n)) % 10 + 2
    logits = net(rows[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, V), rows[:, 1:].reshape(-1), ignore_index=0)
    opt.zero_grad(); loss.backward(); opt.step()
