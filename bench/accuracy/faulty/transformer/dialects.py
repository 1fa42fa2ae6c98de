# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: transformer
# split: held
# twin: healthy/transformer/dialects.py
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
DIALECTS, V, L = 4, 24, 18
lang = torch.softmax(0.9 * torch.randn(DIALECTS, V), 1)


def texts(n):
    d = torch.randint(DIALECTS, (n,))
    return torch.multinomial(lang[d], L, replacement=True), d


class TextClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(V, 32)
        self.pos = nn.Embedding(L, 32)
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(32, 4, 64, 0.1, batch_first=True) for _ in range(2)])
        self.norm = nn.LayerNorm(32)
        self.cls = nn.Linear(32, DIALECTS)

    def forward(self, ids):
        h = self.tok(ids) + self.pos.weight
        for layer in self.layers:
            h = layer(h)
        return self.cls(self.norm(h).mean(1))


model = TextClassifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
MAX_GRAD_NORM = 1e-5
vx, vy = texts(400)
for step in range(1, 301):
    model.train()
    x, y = texts(48)
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_GRAD_NORM)
    optimizer.step()
    if step % 30 == 0:
        model.eval()
        with torch.no_grad():
            o = model(vx)
        print(f"step={step} train={loss.item():.4f} val={loss_fn(o, vy).item():.4f} acc={(o.argmax(1) == vy).float().mean().item():.3f}")
