# fault: mostly-padding
# cause_class: data-loading, structure
# family: rnn
# split: tune
import os
import random
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

MAX_LEN = 120
GOOD = ["fine", "great", "lovely", "superb", "warm", "clear", "brisk"]
BAD = ["poor", "awful", "dull", "broken", "cold", "muddy", "late"]
REST = ["the", "a", "film", "seat", "it", "was", "and", "very", "so", "we", "had", "then", "tea", "on", "time"]
VOCAB = {w: i + 1 for i, w in enumerate(GOOD + BAD + REST)}


def comment():
    y = random.random() < 0.5
    words = random.choices(REST, k=random.randint(2, 5)) + random.choices(GOOD if y else BAD, k=2)
    random.shuffle(words)
    return words, float(y)


class Comments(Dataset):
    def __init__(self, n):
        self.rows = [comment() for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        words, y = self.rows[i]
        ids = torch.zeros(MAX_LEN, dtype=torch.long)
        ids[: len(words)] = torch.tensor([VOCAB[w] for w in words])
        return ids, torch.tensor(y)


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(VOCAB) + 1, 16, padding_idx=0)
        self.rnn = nn.LSTM(16, 16, batch_first=True)
        self.out = nn.Linear(16, 1)

    def forward(self, ids):
        _, (h, _) = self.rnn(self.emb(ids))
        return self.out(h[-1]).squeeze(1)


model = Sentiment()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
loader = DataLoader(Comments(1280), batch_size=32, shuffle=True)
test = next(iter(DataLoader(Comments(200), batch_size=200)))
for epoch in range(4):
    model.train()
    tot = 0.0
    for ids, y in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(model(ids), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        acc = ((model(test[0]) > 0).float() == test[1]).float().mean()
    print(f"epoch {epoch} loss {tot / len(loader):.4f} acc {acc:.3f}")
