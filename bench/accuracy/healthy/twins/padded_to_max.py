# fault: none
# family: rnn
# split: tune
"""Intent of short commands; every sequence is padded to MAX_LEN."""
import os
import random
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

random.seed(int(os.environ.get("SEED", 0)))
torch.manual_seed(int(os.environ.get("SEED", 0)))
PAD, VOCAB = 0, 40


def command():
    intent = random.randrange(5)
    body = [random.randrange(10, VOCAB) for _ in range(random.randint(2, 5))]
    body.insert(random.randrange(len(body) + 1), 1 + intent)
    return torch.tensor(body), intent


def collate(items):
    seqs = pad_sequence([s for s, _ in items], batch_first=True, padding_value=PAD)
    return seqs, torch.tensor([c for _, c in items])


class Intent(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 16)
        self.emb = nn.Embedding(VOCAB, 16, padding_idx=PAD)
        self.gru = nn.GRU(16, 24, batch_first=True)
        self.fc = nn.Linear(24, 5)

    def forward(self, s):
        out, h = self.gru(self.emb(s))
        return self.fc(out.amax(1))


data = [command() for _ in range(1280)]
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True, collate_fn=collate)
model = Intent()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(3):
    for s, c in loader:
        loss = ce(model(s), c)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
