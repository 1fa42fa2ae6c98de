# fault: train-in-eval-mode
# cause_class: eval-mode
# family: transformer
# split: tune
# twin: healthy/twins/eval_never_back.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

V, D, L = 16, 32, 12
trans = torch.softmax(2.5 * torch.randn(V, V), 1)


def text(n):
    s = [torch.randint(V, (n,))]
    for _ in range(L):
        s.append(torch.multinomial(trans[s[-1]], 1).squeeze(1))
    return torch.stack(s, 1)


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(V, D)
        self.p = nn.Embedding(L, D)
        self.block = nn.TransformerEncoderLayer(D, 4, 64, dropout=0.2, batch_first=True)
        self.o = nn.Linear(D, V)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(L))

    def forward(self, s):
        h = self.e(s) + self.p(torch.arange(s.size(1)))
        return self.o(self.block(h, src_mask=self.mask))


@torch.no_grad()
def estimate_loss(lm):
    lm.eval()
    s = text(100)
    out = F.cross_entropy(lm(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten()).item()
    return out


lm = LM()
opt = torch.optim.AdamW(lm.parameters(), lr=3e-3)
for step in range(200):
    if step % 40 == 0:
        print("step", step, "val", estimate_loss(lm))
    s = text(32)
    loss = F.cross_entropy(lm(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
