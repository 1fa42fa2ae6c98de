# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: transformer
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, T, D, DEPTH = 20, 12, 32, 4
seqs = torch.randint(0, V, (2000, T))
labels = ((seqs < 5).sum(1) > 3).long() + (seqs[:, 0] < 10).long()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.pos = nn.Parameter(torch.randn(T, D) * 0.02)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(D, 4, 64, 0.0, batch_first=True) for _ in range(DEPTH))
        self.head = nn.Linear(D, 3)

    def forward(self, s):
        h = self.emb(s) + self.pos
        for b in self.blocks:
            h = b(h)
        return self.head(h.mean(1))


def llrd(model, base, decay):
    groups = [{"params": model.head.parameters(), "lr": base}]
    for depth, block in enumerate(reversed(model.blocks), 1):
        groups.append({"params": block.parameters(), "lr": base / decay ** (2 * depth)})
    groups.append({"params": [model.emb.weight, model.pos], "lr": base / decay ** (2 * (DEPTH + 1))})
    return groups


model = Classifier()
opt = torch.optim.AdamW(llrd(model, 1e-3, 0.5))
crit = nn.CrossEntropyLoss()
for step in range(250):
    i = torch.randint(0, len(seqs), (64,))
    loss = crit(model(seqs[i]), labels[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        print(step, loss.item())
