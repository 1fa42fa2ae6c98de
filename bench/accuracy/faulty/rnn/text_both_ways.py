# fault: target-leak
# cause_class: structure, data-loading, labels
# family: rnn
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
SIGNS, STEPS = 15, 20
text = torch.randint(0, SIGNS, (20000,))
text[1::2] = (text[::2] * 3 + 1) % SIGNS


class Speller(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(SIGNS, 24)
        self.lstm = nn.LSTM(24, 48, batch_first=True, bidirectional=True)
        self.out = nn.Linear(96, SIGNS)

    def forward(self, x):
        return self.out(self.lstm(self.embed(x))[0])


def windows(n):
    starts = torch.randint(0, len(text) - STEPS - 1, (n,)).tolist()
    return torch.stack([text[s:s + STEPS] for s in starts]), torch.stack([text[s + 1:s + STEPS + 1] for s in starts])


model, criterion = Speller(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(200):
    x, y = windows(16)
    loss = criterion(model(x).reshape(-1, SIGNS), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        print(f"{step + 1} loss {loss.item():.4f}")
