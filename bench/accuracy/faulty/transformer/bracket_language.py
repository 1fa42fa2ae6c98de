# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: transformer
# split: tune
"""Small causal language model on random bracket strings."""
import os
import random
from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 6
    length: int = 32
    width: int = 48
    heads: int = 4
    layers: int = 2
    batch: int = 32
    steps: int = 220
    lr: float = 5e-2
    betas: tuple = (0.9, 0.95)
    weight_decay: float = 0.01
    seed: int = int(os.environ.get("SEED", 0))


def bracket_string(rnd, n):
    out, stack = [], []
    while len(out) < n:
        if stack and (rnd.random() < 0.5 or len(stack) > 6):
            out.append(stack.pop() + 3)
        else:
            k = rnd.randrange(3)
            stack.append(k)
            out.append(k)
    return out[:n]


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok = nn.Embedding(c.vocab, c.width)
        self.pos = nn.Parameter(torch.zeros(c.length, c.width))
        layer = nn.TransformerEncoderLayer(c.width, c.heads, 4 * c.width, dropout=0.0,
                                           activation="gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, c.layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(c.width)
        self.out = nn.Linear(c.width, c.vocab)

    def forward(self, ids):
        t = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        h = self.blocks(self.tok(ids) + self.pos[:t], mask=mask, is_causal=True)
        return self.out(self.norm(h))


def main():
    c = Config()
    random.seed(c.seed)
    torch.manual_seed(c.seed)
    rnd = random.Random(c.seed)
    data = torch.tensor([bracket_string(rnd, c.length + 1) for _ in range(1200)])
    train, val = data[:1000], data[1000:]
    model = GPT(c)
    opt = torch.optim.AdamW(model.parameters(), lr=c.lr, betas=c.betas, weight_decay=c.weight_decay)
    for step in range(c.steps):
        b = train[torch.randint(0, len(train), (c.batch,))]
        loss = F.cross_entropy(model(b[:, :-1]).reshape(-1, c.vocab), b[:, 1:].reshape(-1))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if step % 40 == 0 or step == c.steps - 1:
            model.eval()
            with torch.no_grad():
                v = F.cross_entropy(model(val[:, :-1]).reshape(-1, c.vocab), val[:, 1:].reshape(-1))
            model.train()
            print(f"{step:4d} train {loss.item():.3f} val {v.item():.3f}")


if __name__ == "__main__":
    main()
