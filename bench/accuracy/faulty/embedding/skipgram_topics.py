# fault: init-equal
# cause_class: initialisation
# family: embedding
# split: held
# twin: healthy/embedding/skipgram_topics.py
"""Skip-gram with negative samples on a corpus that has topics."""
import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
TOPICS, PER = 8, 25
VOCAB = TOPICS * PER


def document(length=30):
    topic = random.randrange(TOPICS)
    return [random.randrange(topic * PER, (topic + 1) * PER) if random.random() < 0.85 else random.randrange(VOCAB) for _ in range(length)]


pairs = []
for _ in range(900):
    d = document()
    for k in range(len(d) - 2):
        pairs.append((d[k], d[k + 1 + random.randrange(2)]))
pairs = torch.tensor(pairs)


class SkipGram(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.center = nn.Embedding(VOCAB, dim)
        self.context = nn.Embedding(VOCAB, dim)
        nn.init.zeros_(self.center.weight)
        nn.init.zeros_(self.context.weight)

    def forward(self, c, o, neg):
        v = self.center(c)
        good = (v * self.context(o)).sum(-1)
        bad = (self.context(neg) @ v.unsqueeze(-1)).squeeze(-1)
        return -(F.logsigmoid(good) + F.logsigmoid(-bad).sum(-1)).mean() / 6


model = SkipGram()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
cut = 23000
for epoch in range(3):
    total = 0.0
    batches = torch.randperm(cut).split(128)
    for b in batches:
        loss = model(pairs[b, 0], pairs[b, 1], torch.randint(VOCAB, (len(b), 5)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        val = model(pairs[cut:, 0], pairs[cut:, 1], torch.randint(VOCAB, (len(pairs) - cut, 5))).item()
        w = F.normalize(model.center.weight, dim=1)
        sim = w @ w.t() - 2 * torch.eye(VOCAB)
        same = (sim.argmax(1) // PER == torch.arange(VOCAB) // PER).float().mean().item()
    print(f"epoch {epoch} loss {total / len(batches):.4f} val {val:.4f} nearest word of the same topic {same:.3f}")
