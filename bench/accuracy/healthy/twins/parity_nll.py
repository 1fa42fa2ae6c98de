# fault: none
# family: transformer
# split: tune
import os
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Tiny(nn.Module):
    def __init__(self, vocab=10, d=32, length=12):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(torch.randn(length, d) * 0.02)
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 1)
        self.cls = nn.Linear(d, vocab)

    def forward(self, t):
        h = self.enc(self.tok(t) + self.pos)
        return self.cls(h.mean(1))


# which token is the most frequent one?
def get_batch(n=48):
    fav = torch.randint(0, 10, (n, 1))
    seq = torch.randint(0, 10, (n, 12))
    seq = torch.where(torch.rand(n, 12) < 0.5, fav, seq)
    return seq, fav.squeeze(1)


model = Tiny()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(180):
    seq, fav = get_batch()
    logp = F.log_softmax(model(seq), dim=-1)
    loss = F.nll_loss(logp, fav)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if (step + 1) % 30 == 0:
        print(f"step {step + 1}: loss {loss.item():.4f}")
