# fault: one-class-cross-entropy
# cause_class: structure, loss, output-activation
# family: nlp
# split: tune
import os
import random
import torch
from torch import nn
from torch.utils.data import DataLoader

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)


def mail():
    spam = random.random() < 0.4
    words = [random.randrange(30, 80) for _ in range(9)] + [random.randrange(0, 15) if spam else random.randrange(15, 30) for _ in range(3)]
    random.shuffle(words)
    return words, float(spam)


class MailNet(nn.Module):
    def __init__(self, vocab=80, dim=16, num_outputs=1):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.hidden = nn.Linear(dim, 24)
        self.out = nn.Linear(24, num_outputs)

    def forward(self, ids):
        return self.out(torch.relu(self.hidden(self.embedding(ids).mean(1))))


def collate(rows):
    return torch.tensor([w for w, _ in rows]), torch.tensor([[y] for _, y in rows])


train = DataLoader([mail() for _ in range(1200)], batch_size=40, shuffle=True, collate_fn=collate)
valid = DataLoader([mail() for _ in range(300)], batch_size=300, collate_fn=collate)
net, criterion = MailNet(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(6):
    net.train()
    total = 0.0
    for ids, y in train:
        opt.zero_grad()
        loss = criterion(net(ids), y)
        loss.backward()
        opt.step()
        total += loss.item()
    net.eval()
    with torch.no_grad():
        for ids, y in valid:
            acc = ((net(ids) > 0).float() == y).float().mean()
    print(f"epoch {epoch} loss {total / len(train):.4f} valid accuracy {acc:.3f}")
