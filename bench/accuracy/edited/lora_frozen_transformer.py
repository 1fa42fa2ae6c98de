# fault: none
# family: finetuning
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.25
# reaches: 0.7
# Unusual: the encoder is pre-trained, saved, loaded and FROZEN; only rank-4 adapters (one factor starts at exactly zero) and a zero head learn, 4% of the weights.
import io
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(int(os.environ.get("SEED", 0)))
VOCAB, LEN, DIM, STATES = 20, 16, 48, 4
MASK = VOCAB

# Hidden Markov "language": four moods, each with own favourite words.
emit = torch.softmax(1.5 * torch.randn(STATES, VOCAB), -1)
stay = 0.92


def text(n):
    z = torch.randint(STATES, (n,))
    toks, moods = [], []
    for _ in range(LEN):
        jump = torch.rand(n) > stay
        z = torch.where(jump, torch.randint(STATES, (n,)), z)
        moods.append(z)
        toks.append(torch.multinomial(emit[z], 1).squeeze(1))
    return torch.stack(toks, 1), torch.stack(moods, 1)


class Attn(nn.Module):
    def __init__(self, d, h=4):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (m(x).view(b, t, self.h, -1).transpose(1, 2) for m in (self.q, self.k, self.v))
        return self.o(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, d))


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n1, self.n2, self.att = nn.LayerNorm(d), nn.LayerNorm(d), Attn(d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.ff(self.n2(x))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB + 1, DIM)
        self.pos = nn.Parameter(0.02 * torch.randn(LEN, DIM))
        self.layers = nn.Sequential(Layer(DIM), Layer(DIM))
        self.norm = nn.LayerNorm(DIM)

    def forward(self, x):
        return self.norm(self.layers(self.emb(x) + self.pos))


class LoRA(nn.Module):
    def __init__(self, base, rank=4, alpha=8.0):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.a.T @ self.b.T)


# ---- stage 1: masked words
enc, lm = Encoder(), nn.Linear(DIM, VOCAB)
opt = torch.optim.AdamW([*enc.parameters(), *lm.parameters()], lr=3e-3)
for step in range(300):
    x, _ = text(48)
    m = torch.rand(x.shape) < 0.2
    loss = F.cross_entropy(lm(enc(x.masked_fill(m, MASK)))[m], x[m])
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 50 == 49:
        print(f"pretrain {step + 1} loss {loss.item():.3f}")
file = io.BytesIO()
torch.save(enc.state_dict(), file)
file.seek(0)

# ---- stage 2: what was the mood at the END of the text? 200 labelled texts.
enc = Encoder()
enc.load_state_dict(torch.load(file, weights_only=True))
enc.requires_grad_(False)
for lay in enc.layers:
    lay.att.q, lay.att.v = LoRA(lay.att.q), LoRA(lay.att.v)
head = nn.Linear(DIM, STATES)
nn.init.zeros_(head.weight)
nn.init.zeros_(head.bias)
xt, zt = text(200)
xv, zv = text(1500)
yt, yv = zt[:, -1], zv[:, -1]
learn = [p for p in enc.parameters() if p.requires_grad] + list(head.parameters())
print("trainable", sum(p.numel() for p in learn), "of", sum(p.numel() for p in enc.parameters()))
opt = torch.optim.AdamW(learn, lr=2e-3, weight_decay=0.1)
for epoch in range(12):
    for i in torch.randperm(200).split(25):
        loss = F.cross_entropy(head(enc(xt[i])[:, -1]), yt[i])
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        acc = (head(enc(xv)[:, -1]).argmax(1) == yv).float().mean().item()
    print(f"tune epoch {epoch} loss {loss.item():.3f} accuracy {acc:.3f}")

like = emit[:, xv[:, -1]].T.argmax(1)
print("majority:", round((yv == yt.bincount().argmax()).float().mean().item(), 3), "| from last word alone (knowing the tables):", round((like == yv).float().mean().item(), 3))
print(f"result: accuracy {acc:.4f}")
