# fault: none
# family: rnn
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16)
        self.rnn = nn.GRU(16, 24, batch_first=True, bidirectional=True)
        self.out = nn.Linear(48, 3)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


def sentence():
    n = int(torch.randint(4, 12, (1,)))
    ids = torch.randint(0, 30, (1, n))
    prev = torch.cat([torch.zeros(1, 1, dtype=torch.long), ids[:, :-1]], 1)
    return ids, torch.where(ids < 10, 0, torch.where(prev % 2 == 0, 1, 2))


model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
run = []
for k in range(800):
    ids, tags = sentence()
    loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    run.append(loss.item())
    if k % 100 == 99:
        print(k + 1, f"{sum(run[-100:]) / 100:.4f}")
