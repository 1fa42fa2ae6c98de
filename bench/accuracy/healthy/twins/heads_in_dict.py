# fault: none
# family: transformer
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Encoder(nn.Module):
    """Embeds a sequence, mixes it in two rounds, and reads two answers from it."""

    def __init__(self, vocab=15, d=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.rounds = nn.ModuleDict({"first": nn.MultiheadAttention(d, 3, batch_first=True), "second": nn.Linear(d, d)})
        self.norm = nn.LayerNorm(d)
        self.out = nn.Linear(d, vocab)

    def forward(self, t):
        h = self.emb(t)
        h = h + self.rounds["first"](h, h, h, need_weights=False)[0]
        h = self.norm(h + F.gelu(self.rounds["second"](h)))
        return self.out(h.amax(1))


net = Encoder()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(220):
    t = torch.randint(0, 15, (48, 9))
    y = t.max(1).values
    loss = F.cross_entropy(net(t), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 44 == 0:
        print(step, loss.item())
