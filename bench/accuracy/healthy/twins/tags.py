# fault: none
# family: multilabel
# split: tune
"""Tag prediction from bags of words."""
import os
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--lr", type=float, default=0.5)
args = parser.parse_args()
g = torch.Generator().manual_seed(int(os.environ.get("SEED", 0)))
torch.manual_seed(int(os.environ.get("SEED", 0)))

VOCAB, TAGS = 120, 6
topic = torch.rand(TAGS, VOCAB, generator=g) ** 6
tags = (torch.rand(1500, TAGS, generator=g) < 0.3).float()
words = torch.poisson(tags @ topic * 2 + 0.05, generator=g)
words = words / (1 + words.sum(1, keepdim=True)).sqrt()

model = torch.nn.Sequential(torch.nn.Linear(VOCAB, 48), torch.nn.ReLU(), torch.nn.Linear(48, TAGS))
criterion = torch.nn.BCEWithLogitsLoss()
sgd = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)


def update(x, t):
    loss = criterion(model(x), t)
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    return loss.item()


for e in range(args.epochs):
    losses = []
    perm = torch.randperm(1500)
    for i in range(0, 1500, args.batch_size):
        j = perm[i:i + args.batch_size]
        losses.append(update(words[j], tags[j]))
    print("epoch", e, "loss", sum(losses) / len(losses))
