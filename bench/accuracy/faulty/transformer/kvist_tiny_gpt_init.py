# fault: init-too-large
# cause_class: initialisation
# family: transformer
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, T, D = 32, 24, 64


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.proj = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.mlp = nn.Sequential(nn.Linear(D, 2 * D), nn.GELU(), nn.Linear(2 * D, D))

    def forward(self, x):
        q, k, v = self.qkv(self.ln1(x)).view(*x.shape[:2], 3, 4, D // 4).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.ln2(x))


class TinyGPT(nn.Module):
    def __init__(self, init_std=1.0):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, D), nn.Embedding(T, D)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.ln = nn.LayerNorm(D)
        self.head = nn.Linear(D, V, bias=False)
        self.init_std = init_std
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=self.init_std)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, x):
        h = self.tok(x) + self.pos.weight
        for b in self.blocks:
            h = b(h)
        return self.head(self.ln(h))


chain = (torch.randn(V, V) * 2).softmax(-1)
seqs = [torch.randint(0, V, (600,))]
for _ in range(T):
    seqs.append(torch.multinomial(chain[seqs[-1]], 1).squeeze(1))
data = torch.stack(seqs, 1)
entropy = -(chain * chain.log()).sum(-1).mean().item()
model = TinyGPT()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(350):
    b = data[torch.randint(0, 500, (16,))]
    loss = F.cross_entropy(model(b[:, :-1]).flatten(0, 1), b[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0 or step == 349:
        print(f"{step:4d} loss {loss.item():.3f} (entropy of the chain {entropy:.3f}, uniform {torch.tensor(float(V)).log():.3f})")
