# fault: zero-grad
# cause_class: zero-grad, optimizer, learning-rate
# family: transformer
# split: tune
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

VOCAB, CTX = 12, 24
config = {"d_model": 32, "heads": 4, "layers": 2, "lr": 2e-3, "accumulate": 2, "iters": 400, "batch": 16}


def batch(b):
    """Sequences that go up by a step of their own, modulo the vocabulary."""
    start = torch.randint(0, VOCAB, (b, 1))
    step = torch.randint(1, 5, (b, 1))
    seq = (start + step * torch.arange(CTX + 1)) % VOCAB
    return seq[:, :-1], seq[:, 1:]


class GPT(nn.Module):
    def __init__(self, d, h, n):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d)
        self.pos = nn.Parameter(0.02 * torch.randn(1, CTX, d))
        layer = nn.TransformerEncoderLayer(d, h, 4 * d, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, n, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, VOCAB)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(CTX))

    def forward(self, x):
        return self.head(self.norm(self.body(self.tok(x) + self.pos, mask=self.mask, is_causal=True)))


class Engine:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
        self.iteration = 0

    def forward_backward(self):
        x, y = batch(self.cfg["batch"])
        loss = F.cross_entropy(self.model(x).reshape(-1, VOCAB), y.reshape(-1))
        (loss / self.cfg["accumulate"]).backward()
        return loss.item()

    def maybe_step(self):
        if (self.iteration + 1) % self.cfg["accumulate"] == 0:
            self.opt.step()

    def run(self):
        self.model.train()
        window = []
        for self.iteration in range(self.cfg["iters"]):
            window.append(self.forward_backward())
            self.maybe_step()
            if (self.iteration + 1) % 50 == 0:
                print(f"iter {self.iteration + 1:4d} loss {sum(window) / len(window):.4f} (uniform {math.log(VOCAB):.2f})")
                window.clear()


model = GPT(config["d_model"], config["heads"], config["layers"])
Engine(model, config).run()
