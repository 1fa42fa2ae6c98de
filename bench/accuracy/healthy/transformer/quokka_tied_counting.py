# fault: none
# family: transformer
# split: tune
import math
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
V, D, T = 24, 32, 14


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.pos = nn.Parameter(0.02 * torch.randn(T, D))
        layer = nn.TransformerEncoderLayer(D, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, V, bias=False)
        nn.init.normal_(self.emb.weight, std=0.02)
        self.head.weight = self.emb.weight

    def forward(self, ids):
        t = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        return self.head(self.norm(self.body(self.emb(ids) + self.pos[:t], mask=mask, is_causal=True)))


def seqs(n):
    return (torch.randint(0, V, (n, 1)) + torch.randint(1, 4, (n, 1)) * torch.arange(T + 1)) % V


model = LM()
decay = [p for p in model.parameters() if p.ndim > 1]
plain = [p for p in model.parameters() if p.ndim <= 1]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], lr=3e-3, betas=(0.9, 0.95))
STEPS, WARM = 300, 30
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: (s + 1) / WARM if s < WARM else 0.1 + 0.45 * (1 + math.cos(math.pi * (s - WARM) / (STEPS - WARM))))
for step in range(STEPS):
    s = seqs(32)
    loss = F.cross_entropy(model(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 50 == 49:
        print(step + 1, f"{loss.item():.4f}")
