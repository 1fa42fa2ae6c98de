# fault: frozen-by-mistake
# cause_class: not-updated
# family: transformer
# split: tune
# set: marten, unseen
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
NOTES, CTX = 12, 12


class Block(nn.Module):
    def __init__(self, d, heads=2):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.heads = heads

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.ff(self.ln2(x))


class MelodyModel(nn.Module):
    def __init__(self, d=24, depth=4):
        super().__init__()
        # fixed sinusoids would do as well; a fixed random table is simpler
        self.pos = nn.Parameter(0.3 * torch.randn(CTX, d))
        self.note = nn.Embedding(NOTES, d)
        for i in range(depth):
            self.add_module(f"position_wise_block{i}", Block(d))
        self.depth, self.head = depth, nn.Linear(d, NOTES)

    def forward(self, x):
        h = self.note(x) + self.pos[:x.shape[1]]
        for i in range(self.depth):
            h = getattr(self, f"position_wise_block{i}")(h)
        return self.head(h)


def melodies(n):
    """The next note: the last one plus the step that the one before it tells, rarely another."""
    step = torch.tensor([2, 7, 5, 9, 4, 3, 11, 1, 6, 8, 10, 2])
    x = torch.randint(0, NOTES, (n, CTX + 1))
    for t in range(2, CTX + 1):
        nxt = (x[:, t - 1] + step[x[:, t - 2]]) % NOTES
        x[:, t] = torch.where(torch.rand(n) < 0.1, x[:, t], nxt)
    return x


model = MelodyModel()
for name, p in model.named_parameters():
    if name.startswith("pos"):
        p.requires_grad = False

opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=3e-3)
test = melodies(300)
for it in range(320):
    x = melodies(32)
    loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    if it % 50 == 0 or it == 319:
        model.eval()
        with torch.no_grad():
            acc = (model(test[:, :-1]).argmax(-1) == test[:, 1:])[:, 1:].float().mean()
        model.train()
        print(f"{it:3d} loss {loss.item():.4f} acc {acc:.3f}")
