import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PAD, MAX_LEN, VOCAB = 0, 160, 2000


def make_reviews(n, seed=0):
    """Reviews as lists of word numbers; some words are kind, some are not."""
    rng = np.random.default_rng(seed)
    tone = np.random.default_rng(99).normal(0, 1, VOCAB)
    reviews, stars = [], []
    for _ in range(n):
        length = int(rng.integers(30, MAX_LEN))
        mood = rng.normal(0, 1)
        words = rng.integers(1, VOCAB, 2 * length)
        keep = rng.random(2 * length) < 1 / (1 + np.exp(-2 * mood * tone[words]))
        words = words[keep][:length]
        reviews.append(words.astype(np.int64))
        stars.append(int(np.digitize(mood, [-0.6, 0.6])))
    return reviews, stars


class Reviews(Dataset):
    def __init__(self, reviews, stars):
        self.reviews = reviews
        self.stars = stars

    def __len__(self):
        return len(self.reviews)

    def __getitem__(self, idx):
        return self.reviews[idx], self.stars[idx]


def collate(batch):
    longest = max(len(words) for words, _ in batch)
    tokens, mask = [], []
    for words, _ in batch:
        row, row_mask = [], []
        for t in range(longest):
            if t < len(words):
                row.append(torch.tensor(words[t]))
                row_mask.append(torch.tensor(1.0))
            else:
                row.append(torch.tensor(PAD))
                row_mask.append(torch.tensor(0.0))
        tokens.append(torch.stack(row))
        mask.append(torch.stack(row_mask))
    stars = torch.tensor([s for _, s in batch])
    return torch.stack(tokens), torch.stack(mask), stars


class StarModel(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.conv = nn.Conv1d(dim, dim, 5, padding=2)
        self.fc = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 3))

    def forward(self, tokens, mask):
        x = self.embed(tokens).transpose(1, 2)
        x = torch.relu(self.conv(x)) * mask.unsqueeze(1)
        x = x.sum(2) / mask.sum(1, keepdim=True)
        return self.fc(x)


def train_epoch(model, loader, optimizer, criterion):
    model.train()
    running = 0.0
    for tokens, mask, stars in loader:
        optimizer.zero_grad()
        loss = criterion(model(tokens, mask), stars)
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / len(loader)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = total = 0
    for tokens, mask, stars in loader:
        right += (model(tokens, mask).argmax(-1) == stars).sum().item()
        total += stars.numel()
    return right / total


torch.manual_seed(42)
train_loader = DataLoader(Reviews(*make_reviews(3200, seed=0)), batch_size=64, shuffle=True, collate_fn=collate)
test_loader = DataLoader(Reviews(*make_reviews(256, seed=1)), batch_size=64, collate_fn=collate)
model = StarModel()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

t0 = time.time()
for epoch in range(1, 5):
    loss = train_epoch(model, train_loader, optimizer, criterion)
    print(f"epoch {epoch:02d} | loss {loss:.4f} | test acc {accuracy(model, test_loader):.3f}")
print(f"total {time.time() - t0:.1f} s")
