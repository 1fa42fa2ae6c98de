# fault: none
# family: sequence
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.167
# reaches: 0.9
# Unusual: the symbol to recall is 20 steps back, so the loss stays at chance level for long and then drops at once
import os
import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
SYMBOLS, DELAY = 6, 20


def make_batch(n):
    cue = torch.randint(0, SYMBOLS, (n,))
    seq = torch.randint(SYMBOLS, SYMBOLS + 4, (n, DELAY + 1))  # distractors have their own alphabet
    seq[:, 0] = cue
    return seq, cue


class Recall(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.emb = nn.Embedding(SYMBOLS + 4, 16)
        self.rnn = nn.GRU(16, width, batch_first=True)
        self.out = nn.Linear(width, SYMBOLS)

    def forward(self, seq):
        _, h = self.rnn(self.emb(seq))
        return self.out(h[0])


model = Recall()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
test_seq, test_cue = make_batch(1000)


def accuracy():
    model.eval()
    with torch.no_grad():
        hit = (model(test_seq).argmax(1) == test_cue).float().mean().item()
    model.train()
    return hit


for it in range(1, 501):
    seq, cue = make_batch(64)
    optimizer.zero_grad()
    loss = criterion(model(seq), cue)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if it % 50 == 0:
        print(f"iter {it} loss {loss.item():.4f} acc {accuracy():.3f}")

print(f"result: accuracy {accuracy():.4f}")
