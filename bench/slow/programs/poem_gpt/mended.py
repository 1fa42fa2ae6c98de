import os
import random
import tempfile
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

BLOCK, DIM, LAYERS = 24, 192, 3
STEPS, BATCH = 480, 4
SAVE_EVERY = 100


def poem(lines, seed=0):
    rng = random.Random(seed)
    who = ["the moon", "a river", "the old tower", "my heart", "the wind", "a swallow"]
    does = ["sings of", "waits for", "dreams of", "runs from", "longs for"]
    what = ["the sea", "the morning", "a lost summer", "the rain", "silver light"]
    return "\n".join(f"{rng.choice(who)} {rng.choice(does)} {rng.choice(what)}" for _ in range(lines))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.attention = nn.MultiheadAttention(DIM, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(DIM, 4 * DIM), nn.GELU(), nn.Linear(4 * DIM, DIM))

    def forward(self, x, mask):
        h = self.norm1(x)
        x = x + self.attention(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class PoemModel(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.letters = nn.Embedding(letters, DIM)
        self.places = nn.Parameter(0.02 * torch.randn(BLOCK, DIM))
        self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(DIM)
        self.out = nn.Linear(DIM, letters)
        self.register_buffer("mask", torch.triu(torch.ones(BLOCK, BLOCK, dtype=torch.bool), 1))

    def forward(self, idx):
        x = self.letters(idx) + self.places
        for layer in self.layers:
            x = layer(x, self.mask)
        return self.out(self.norm(x))


def save(folder, step, model, optimizer):
    path = os.path.join(folder, "last.pt")
    torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, path + ".new")
    os.replace(path + ".new", path)


torch.manual_seed(0)
corpus = poem(4000)
letters = sorted(set(corpus))
data = torch.tensor([letters.index(c) for c in corpus])
model = PoemModel(len(letters))
optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)

with tempfile.TemporaryDirectory() as folder:
    start = time.time()
    for step in range(1, STEPS + 1):
        at = torch.randint(len(data) - BLOCK - 1, (BATCH, 1)) + torch.arange(BLOCK + 1)
        chunk = data[at]
        logits = model(chunk[:, :-1])
        loss = F.cross_entropy(logits.transpose(1, 2), chunk[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % SAVE_EVERY == 0:
            save(folder, step, model, optimizer)
        if step % 50 == 0:
            print(f"step {step}: {loss.item():.3f}")
    print(f"trained in {time.time() - start:.1f} s")
