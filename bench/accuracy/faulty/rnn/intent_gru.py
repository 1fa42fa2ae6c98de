# fault: mostly-padding
# cause_class: data-loading, structure
# family: rnn
# split: held
import os
import random
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)

PAD, MAX_LEN = 0, 160
INTENTS = {
    "weather": ["rain", "sunny", "forecast", "umbrella", "cold"],
    "music": ["play", "song", "album", "volume", "band"],
    "alarm": ["wake", "timer", "remind", "minutes", "clock"],
    "travel": ["train", "ticket", "flight", "airport", "hotel"],
}
FILLER = "please can you the for me my tomorrow some a to now in at".split()
WORDS = ["<pad>"] + FILLER + [w for ws in INTENTS.values() for w in ws]
IDX = {w: i for i, w in enumerate(WORDS)}
NAMES = list(INTENTS)


def utterance():
    lab = random.randrange(4)
    words = [random.choice(FILLER) for _ in range(random.randint(3, 5))]
    words += random.sample(INTENTS[NAMES[lab]], 2)
    random.shuffle(words)
    return words, lab


class Utterances(Dataset):
    def __init__(self, n):
        self.items = [utterance() for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        words, lab = self.items[i]
        ids = [IDX[w] for w in words][:MAX_LEN]
        ids = ids + [PAD] * (MAX_LEN - len(ids))
        return torch.tensor(ids), lab


class IntentGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(WORDS), 16, padding_idx=PAD)
        self.gru = nn.GRU(16, 24, batch_first=True)
        self.fc = nn.Linear(24, 4)

    def forward(self, ids):
        out, _ = self.gru(self.emb(ids))
        return self.fc(out[:, -1])


train = DataLoader(Utterances(640), batch_size=32, shuffle=True)
test = DataLoader(Utterances(160), batch_size=160)
model = IntentGRU()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(5):
    model.train()
    tot = 0.0
    for ids, lab in train:
        opt.zero_grad()
        loss = ce(model(ids), lab)
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        ids, lab = next(iter(test))
        acc = (model(ids).argmax(1) == lab).float().mean().item()
    print(f"epoch {epoch} loss {tot / len(train):.4f} test acc {acc:.3f}")
