# fault: model-replaced
# cause_class: not-updated, optimizer
# family: transformer
# split: tune
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
L, V = 16, 4


class SeqEncoder(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.tok = nn.Embedding(V + 1, d)
        self.pos = nn.Embedding(L, d)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 2, 64, 0.0, batch_first=True), 2)
        self.norm = nn.LayerNorm(d)
        self.letters = nn.Linear(d, V)
        self.family = nn.Linear(d, 3)

    def hidden(self, x):
        return self.norm(self.enc(self.tok(x) + self.pos.weight))

    def forward(self, x, task):
        h = self.hidden(x)
        return self.letters(h) if task == "letters" else self.family(h.mean(1))


def repeats(n):
    unit = torch.randint(0, V, (n, 4))
    return unit.repeat(1, 4)


def motifs(n):
    """Three families, told apart by how often the letters come."""
    y = torch.randint(0, 3, (n,))
    p = torch.tensor([[.4, .2, .2, .2], [.2, .4, .2, .2], [.2, .2, .2, .4]])[y]
    return torch.multinomial(p, L, replacement=True), y


def pretrain(model, opt, path, steps=120):
    best = float("inf")
    vx = repeats(200)
    vhide = torch.rand(vx.shape) < 0.2
    for i in range(1, steps + 1):
        x = repeats(64)
        hide = torch.rand(x.shape) < 0.2
        loss = F.cross_entropy(model(x.masked_fill(hide, V), "letters")[hide], x[hide])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 30 == 0:
            with torch.no_grad():
                valid = F.cross_entropy(model(vx.masked_fill(vhide, V), "letters")[vhide], vx[vhide]).item()
            print(f"pretrain {i:3d} loss {loss.item():.4f} valid {valid:.4f}")
            if valid < best:
                best = valid
                torch.save(model.state_dict(), path)


def load_best(path):
    model = SeqEncoder()
    model.load_state_dict(torch.load(path, weights_only=True))
    return model


def finetune(model, opt, steps=250):
    tx, ty = motifs(500)
    for i in range(steps):
        x, y = motifs(32)
        loss = F.cross_entropy(model(x, "family"), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 50 == 0 or i == steps - 1:
            with torch.no_grad():
                acc = (model(tx, "family").argmax(1) == ty).float().mean()
            print(f"finetune {i:3d} loss {loss.item():.4f} acc {acc:.3f}")


model = SeqEncoder()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "best.pt")
    pretrain(model, opt, path)
    model = load_best(path)
finetune(model, opt)
