# fault: none
# family: transformer
# split: held
import os, math
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, L = 10, 16
# each line repeats a random word of 4 symbols, with a slip now and then
def lines(n):
    w = torch.randint(V, (n, 4)).repeat(1, 4)
    slip = torch.rand(n, L) < 0.03
    return torch.where(slip, torch.randint(V, (n, L)), w)

class Decoder(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.e, self.p = nn.Embedding(V, d), nn.Embedding(L, d)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(d, 4, 96, 0.0, batch_first=True, norm_first=True) for _ in range(2))
        self.ln, self.o = nn.LayerNorm(d), nn.Linear(d, V, bias=False)
    def forward(self, x):
        t = x.shape[1]
        mask = torch.triu(torch.full((t, t), -math.inf), 1)
        h = self.e(x) + self.p.weight[:t]
        for b in self.blocks:
            h = b(h, src_mask=mask)
        return self.o(self.ln(h))

net = Decoder()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
val = lines(200)
for it in range(1, 401):
    s = lines(24)
    for g in opt.param_groups:
        g["lr"] = 3e-3 * min(1, it / 40)
    loss = F.cross_entropy(net(s[:, :-1]).flatten(0, 1), s[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step()
    if it % 40 == 0:
        with torch.no_grad():
            o = net(val[:, :-1])
        print(f"iter {it} loss {loss.item():.4f} val {F.cross_entropy(o.flatten(0, 1), val[:, 1:].flatten()).item():.4f} acc from the fifth on {(o.argmax(-1) == val[:, 1:])[:, 3:].float().mean().item():.3f}")
