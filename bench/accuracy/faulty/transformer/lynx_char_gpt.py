# fault: identical-batches
# cause_class: data-loading, overfit
# family: transformer
# split: held
"""
Character-level GPT, after the well-known video, shrunk until it runs on my laptop.
"""
import os
import random
import torch
import torch.nn as nn
from torch.nn import functional as F

# hyperparameters
batch_size = 16
block_size = 32
max_iters = 300
eval_interval = 50
eval_iters = 5
learning_rate = 2e-3
n_embd, n_head, n_layer = 32, 2, 2
dropout = 0.0
seed = int(os.environ.get('SEED', 0))

torch.manual_seed(seed)
random.seed(seed)

# no internet on the train, so the text is home-made
people = ['anna', 'bert', 'carla', 'dora', 'emil']
verbs = ['sees', 'likes', 'calls', 'asks', 'feeds']
things = ['the dog', 'a bird', 'the cat', 'an old friend', 'the neighbour']
text = ' '.join(f'{random.choice(people)} {random.choice(verbs)} {random.choice(things)}.' for _ in range(1500))
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
n = int(0.9 * len(data))
splits = {'train': data[:n], 'val': data[n:]}


def get_batch(split):
    d = splits[split]
    g = torch.Generator().manual_seed(seed)      # same numbers on every machine
    ix = torch.randint(len(d) - block_size, (batch_size,), generator=g)
    x = torch.stack([d[i:i + block_size] for i in ix])
    y = torch.stack([d[i + 1:i + block_size + 1] for i in ix])
    return x, y


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.qkv, self.proj = nn.Linear(n_embd, 3 * n_embd), nn.Linear(n_embd, n_embd)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd), nn.Dropout(dropout))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, n_head, C // n_head).transpose(1, 2) for t in self.qkv(self.ln1(x)).split(C, 2))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(B, T, C))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(chars), n_embd), nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(*[Block() for _ in range(n_layer)])
        self.ln_f, self.head = nn.LayerNorm(n_embd), nn.Linear(n_embd, len(chars))

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.size(1)))
        logits = self.head(self.ln_f(self.blocks(x)))
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


model = GPT()


@torch.no_grad()
def estimate_loss():
    model.eval()
    d = splits['val']
    out = 0
    for k in range(eval_iters):
        x = d[k * 200:k * 200 + 6 * block_size].view(6, block_size)
        y = d[k * 200 + 1:k * 200 + 6 * block_size + 1].view(6, block_size)
        out += model(x, y)[1].item() / eval_iters
    model.train()
    return out


optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
for it in range(max_iters + 1):
    xb, yb = get_batch('train')
    _, loss = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if it % eval_interval == 0:
        print(f"step {it}: train loss {loss.item():.4f}, val loss {estimate_loss():.4f}")
