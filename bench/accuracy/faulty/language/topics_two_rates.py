# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: language
# split: tune
import os
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
vocab, classes = 80, 4
weights = torch.randn(vocab, classes)
docs = torch.randint(0, vocab, (3000, 10))
topics = weights[docs].sum(1).argmax(1)


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(vocab, 24)
        self.head = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, classes))

    def forward(self, x):
        return self.head(self.words(x).mean(1))


model = Bag()
opt_words = torch.optim.Adagrad(model.words.parameters(), lr=0.05)
opt_head = torch.optim.SGD(model.head.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    right = 0
    for b in torch.randperm(2500).split(50):
        opt_words.zero_grad()
        logits = model(docs[b])
        F.cross_entropy(logits, topics[b]).backward()
        opt_words.step()
        opt_head.step()
        right += (logits.argmax(1) == topics[b]).sum().item()
    with torch.no_grad():
        acc = (model(docs[2500:]).argmax(1) == topics[2500:]).float().mean().item()
    print(epoch, right / 2500, acc)
