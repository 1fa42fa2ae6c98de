# fault: mostly-padding
# cause_class: data-loading, structure
# family: rnn
# split: held
# twin: healthy/rnn/voice_commands.py
"""Five voice commands as phoneme strings of very different length."""
import os
import random
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
PHONEMES, MAX_LEN = 20, 160
stems = [[random.randrange(1, PHONEMES) for _ in range(5)] for _ in range(5)]


def utterance():
    k = random.randrange(5)
    s = [p if random.random() > 0.15 else random.randrange(1, PHONEMES) for p in stems[k]]
    return torch.tensor(s + [random.randrange(1, PHONEMES) for _ in range(random.randrange(0, 3))]), k


def collect(n):
    items = [utterance() for _ in range(n)]
    x = pad_sequence([s for s, _ in items] + [torch.zeros(MAX_LEN, dtype=torch.long)], batch_first=True)[:-1]
    return x, torch.tensor([k for _, k in items])


class CommandNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(PHONEMES, 16)
        self.rnn = nn.RNN(16, 32, batch_first=True)
        self.fc = nn.Linear(32, 5)

    def forward(self, x):
        out, _ = self.rnn(self.emb(x))
        return self.fc(out[:, -1])


x, y = collect(900)
xv, yv = collect(300)
net = CommandNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(6):
    tot = 0.0
    for b in torch.randperm(900).split(25):
        opt.zero_grad()
        loss = ce(net(x[b]), y[b])
        loss.backward()
        opt.step()
        tot += loss.item() / 36
    with torch.no_grad():
        o = net(xv)
    print(f"epoch {epoch} loss {tot:.4f} val {ce(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
