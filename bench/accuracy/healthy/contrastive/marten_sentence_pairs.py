# fault: none
# family: contrastive
# split: held
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
VOCAB, LEN, TOPIC_WORDS = 400, 10, 5


def sentence_pairs(n):
    """Two sentences about the same few words, the rest differs."""
    subject = torch.randint(0, 300, (n, TOPIC_WORDS))
    def write():
        keep = subject[torch.arange(n)[:, None], torch.rand(n, TOPIC_WORDS).argsort(1)[:, :4]]
        s = torch.cat([keep, torch.randint(300, VOCAB, (n, LEN - 4))], 1)
        return s[:, torch.randperm(LEN)]
    return write(), write()


class SentenceEncoder(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.words = nn.EmbeddingBag(VOCAB, dim, mode="mean")
        self.mlp = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 64), nn.GELU(), nn.Linear(64, dim))
        nn.init.normal_(self.words.weight, std=0.02)

    def forward(self, ids):
        return F.normalize(self.mlp(self.words(ids)), dim=1)


enc = SentenceEncoder()
logit_scale = nn.Parameter(torch.tensor(1.0))
opt = torch.optim.AdamW([{"params": enc.parameters(), "weight_decay": 1e-4}, {"params": [logit_scale], "weight_decay": 0.0}], lr=2e-3)
warm = torch.optim.lr_scheduler.LinearLR(opt, 0.02, 1.0, total_iters=100)
ta, tb = sentence_pairs(200)

for step in range(600):
    a, b = sentence_pairs(128)
    logits = logit_scale.exp() * enc(a) @ enc(b).T
    loss = 0.5 * (F.cross_entropy(logits, torch.arange(128)) + F.cross_entropy(logits.T, torch.arange(128)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
    with torch.no_grad():
        logit_scale.clamp_(max=4.6)
    if step % 60 == 0 or step == 599:
        enc.eval()
        with torch.no_grad():
            top = ((enc(ta) @ enc(tb).T).argmax(1) == torch.arange(200)).float().mean()
        enc.train()
        print(f"{step:3d} loss {loss.item():.4f} scale {logit_scale.exp().item():.2f} top-1 {top:.3f}")
