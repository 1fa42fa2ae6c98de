# fault: mostly-padding
# cause_class: data-loading, structure
# family: rnn
# split: tune
"""Sentiment of short reviews with an LSTM; reviews are padded to a fixed length."""
import os
import random
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
GOOD, BAD, OTHER = range(1, 11), range(11, 21), range(21, 61)
MAX_LEN = 160


def review():
    y = random.randrange(2)
    n = random.randint(5, 9)
    words = [random.choice(GOOD if y else BAD) for _ in range(2)] + [random.choice(OTHER) for _ in range(n - 2)]
    random.shuffle(words)
    return words, y


def pad(words, length=MAX_LEN):
    return words[:length] + [0] * (length - len(words))


class Reviews(Dataset):
    def __init__(self, n):
        self.items = [review() for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        words, y = self.items[i]
        return torch.tensor(pad(words)), torch.tensor(float(y))


class Sentiment(nn.Module):
    def __init__(self, vocab=61, dim=16, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, ids):
        _, (h, _) = self.lstm(self.embed(ids))
        return self.fc(h[-1]).squeeze(1)


train, test = DataLoader(Reviews(640), batch_size=32, shuffle=True), DataLoader(Reviews(200), batch_size=200)
net = Sentiment()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
loss_fn = nn.BCEWithLogitsLoss()
for epoch in range(4):
    net.train()
    losses = []
    for ids, y in train:
        opt.zero_grad()
        loss = loss_fn(net(ids), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        acc = [((net(ids) > 0).float() == y).float().mean().item() for ids, y in test][0]
    print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f} test accuracy {acc:.3f}")
