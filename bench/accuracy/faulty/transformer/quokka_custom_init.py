# fault: init-equal
# cause_class: initialisation, structure
# family: transformer
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
V, T, D = 16, 10, 32


class TinyGPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(V, D)
        self.wpe = nn.Embedding(T, D)
        self.q, self.k, self.v, self.o = (nn.Linear(D, D) for _ in range(4))
        self.n1, self.n2, self.nf = nn.LayerNorm(D), nn.LayerNorm(D), nn.LayerNorm(D)
        self.up, self.down = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)
        self.lm = nn.Linear(D, V, bias=False)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.LayerNorm):
            nn.init.ones_(m.weight)
            nn.init.zeros_(m.bias)
        elif hasattr(m, "weight"):
            nn.init.constant_(m.weight, 0.02)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        h = self.n1(x)
        x = x + self.o(F.scaled_dot_product_attention(self.q(h), self.k(h), self.v(h), is_causal=True))
        x = x + self.down(F.gelu(self.up(self.n2(x))))
        return self.lm(self.nf(x))


def text(n):
    """Symbols count upwards, now and then one leaps."""
    s = torch.randint(0, V, (n, 2))
    for _ in range(T - 1):
        nxt = (s[:, -1] + 1 + (torch.rand(n) < 0.15).long() * 3) % V
        s = torch.cat([s, nxt[:, None]], 1)
    return s[:, 1:]


model = TinyGPT()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
run = None
for step in range(500):
    s = text(32)
    loss = F.cross_entropy(model(s[:, :-1]).reshape(-1, V), s[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    run = loss.item() if run is None else 0.95 * run + 0.05 * loss.item()
    if step % 100 == 99:
        print(f"step {step + 1} loss {run:.4f}")
