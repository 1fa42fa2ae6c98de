# fault: none
# family: transformer
# split: tune
# TransformerEncoder with a key padding mask and a class token; learning rate warmed up from 0 (Noam).
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

V, T, D = 30, 16, 32


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(V, D, padding_idx=0)
        self.pos = nn.Parameter(torch.randn(1, T + 1, D) * 0.02)
        self.cls = nn.Parameter(torch.zeros(1, 1, D))
        layer = nn.TransformerEncoderLayer(D, 4, 64, dropout=0.1, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(D, 2)

    def forward(self, x):
        mask = torch.cat([torch.zeros(len(x), 1, dtype=torch.bool), x == 0], 1)
        h = torch.cat([self.cls.expand(len(x), -1, -1), self.tok(x)], 1) + self.pos
        return self.head(self.enc(h, src_key_padding_mask=mask)[:, 0])


def batch(n):
    lengths = torch.randint(4, T + 1, (n,))
    x = torch.randint(2, V, (n, T))
    y = torch.randint(0, 2, (n,))
    at = (torch.rand(n) * lengths).long()
    x[torch.arange(n), at] = torch.where(y == 1, 1, x[torch.arange(n), at])
    return x * (torch.arange(T)[None] < lengths[:, None]), y


model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
warm = 60
scheduler = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda s: 0.25 * D**-0.5 * min((s + 1e-9) ** -0.5, s * warm**-1.5)
)
ce = nn.CrossEntropyLoss()
rec = []
for step in range(160):
    x, y = batch(48)
    loss = ce(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    rec.append(loss.item())
model.eval()
with torch.no_grad():
    x, y = batch(300)
    print("accuracy", (model(x).argmax(1) == y).float().mean().item())
print(f"loss first {rec[0]:.4f} last {rec[-1]:.4f}")
