# fault: none
# family: rnn
# split: held
"""Topic of a sentence: an encoder writes it into three numbers, a small head reads them."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, L, TOPICS = 60, 14, 6
lang = torch.softmax(1.6 * torch.randn(TOPICS, V), 1)


def sentences(n):
    k = torch.randint(TOPICS, (n,))
    return torch.multinomial(lang[k], L, replacement=True), k


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 16)
        self.gru = nn.GRU(16, 32, batch_first=True)
        self.to_topic = nn.Linear(32, 3)

    def forward(self, x):
        return torch.tanh(self.to_topic(self.gru(self.emb(x))[0].mean(1)))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, TOPICS))

    def forward(self, t):
        return self.layers(t)


enc, head = Encoder(), Head()
opt = torch.optim.Adam(list(enc.parameters()) + list(head.parameters()), lr=5e-3)
ce = nn.CrossEntropyLoss()
vx, vk = sentences(500)
for it in range(1, 401):
    x, k = sentences(40)
    topic = enc(x)
    loss = ce(head(topic), k)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 40 == 0:
        with torch.no_grad():
            o = head(enc(vx))
            print(f"iter {it:4d}  train {loss.item():.4f}  val {ce(o, vk).item():.4f}  acc {(o.argmax(1) == vk).float().mean().item():.3f}")
