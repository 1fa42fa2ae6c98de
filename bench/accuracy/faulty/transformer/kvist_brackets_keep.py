# fault: dropout-too-strong
# cause_class: regularisation
# family: transformer
# split: held
"""Which bracket closes the last open one? Ported from an old TensorFlow 1 project."""
import os
import random

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
FLAGS = dict(d_model=64, heads=4, layers=2, keep_prob=0.95, lr=1e-3, batch=32, steps=400)
OPEN, PAIRS = 4, 4


def sample(length=8):
    """Sequence of opening brackets (0-3), closed ones (4-7) and filler (8); answer: kind that is open last."""
    stack, seq = [], []
    while len(seq) < length:
        r = random.random()
        if r < 0.45 or not stack:
            k = random.randrange(OPEN)
            stack.append(k)
            seq.append(k)
        elif r < 0.75 and len(stack) > 1:
            seq.append(OPEN + stack.pop())
        else:
            seq.append(8)
    return seq, stack[-1]


def batch(n):
    s, y = zip(*(sample() for _ in range(n)))
    return torch.tensor(s), torch.tensor(y)


class Model(nn.Module):
    def __init__(self, f):
        super().__init__()
        d = f["d_model"]
        self.tok, self.pos = nn.Embedding(9, d), nn.Embedding(8, d)
        layer = nn.TransformerEncoderLayer(d, f["heads"], 128, f["keep_prob"], "gelu", batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, f["layers"], enable_nested_tensor=False)
        self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, PAIRS)

    def forward(self, s):
        h = self.enc(self.tok(s) + self.pos.weight)
        return self.out(self.norm(h[:, -1]))


model = Model(FLAGS)
opt = torch.optim.AdamW(model.parameters(), lr=FLAGS["lr"])
vx, vy = batch(400)
for step in range(1, FLAGS["steps"] + 1):
    model.train()
    x, y = batch(FLAGS["batch"])
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        model.eval()
        with torch.no_grad():
            print(step, round(loss.item(), 4), "val acc", (model(vx).argmax(1) == vy).float().mean().item())
