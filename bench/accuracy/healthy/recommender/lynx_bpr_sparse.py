# fault: none
# family: recommender
# split: held
import os
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

num_users, num_items, dim = 1500, 800, 16


def simulate():
    """users like items of two of 12 genres; popularity within a genre follows a power law"""
    genre = torch.randint(0, 12, (num_items,))
    pop = 1 / (1 + torch.randperm(num_items).float()).sqrt()
    likes = torch.zeros(num_users, 12)
    likes.scatter_(1, torch.rand(num_users, 12).topk(2)[1], 1.0)
    w = (likes[:, genre] + 0.01) * pop
    return torch.multinomial(w, 21)


seen = simulate()
train_items, test_item = seen[:, :20], seen[:, 20]
pairs = torch.stack([torch.arange(num_users).repeat_interleave(20), train_items.reshape(-1)], 1)


class BPR(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(num_users, dim, sparse=True)
        self.item = nn.Embedding(num_items, dim, sparse=True)
        self.bias = nn.Embedding(num_items, 1, sparse=True)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)

    def score(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.bias(i).squeeze(-1)

    def forward(self, u, pos, neg):
        return -F.logsigmoid(self.score(u, pos) - self.score(u, neg)).mean()

    @torch.no_grad()
    def hit_rate(self, k=20):
        s = self.user.weight @ self.item.weight.T + self.bias.weight.T
        s.scatter_(1, train_items, float("-inf"))
        return (s.topk(k)[1] == test_item[:, None]).any(1).float().mean().item()


model = BPR()
optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.01)
print("random hit rate would be", 20 / (num_items - 20), "- before training", model.hit_rate())
for epoch in range(4):
    total = n = 0
    for rows in pairs[torch.randperm(len(pairs))].split(256):
        u, pos = rows.T
        loss = model(u, pos, torch.randint(num_items, pos.shape))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item(); n += 1
    print(f"epoch {epoch}: bpr {total / n:.4f}, HR@20 {model.hit_rate():.3f}")
