# fault: none
# family: recommender
# split: held
# set: dingo, unseen
"""Implicit-feedback recommender (users x films), two towers of embeddings with an MLP on top.

python recsys.py --epochs 4 --negatives 3
"""
import argparse
import os
import time

import numpy as np
import torch
from torch import nn


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--users", type=int, default=300)
    p.add_argument("--items", type=int, default=200)
    p.add_argument("--dim", type=int, default=16)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--batch-size", type=int, default=512)
    p.add_argument("--negatives", type=int, default=3, help="sampled negatives per click")
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--l2", type=float, default=1e-6)
    p.add_argument("--dropout", type=float, default=0.1)
    return p.parse_args([])


def simulate_clicks(n_users, n_items, rng):
    """Users and films share a taste space; every user clicks about 30 films."""
    taste = rng.normal(size=(n_users, 4))
    films = rng.normal(size=(n_items, 4))
    fame = rng.normal(size=n_items) * 0.5
    score = 1.6 * taste @ films.T + fame + rng.gumbel(size=(n_users, n_items))
    ranked = np.argsort(-score, axis=1)
    clicks = ranked[:, :30]
    train, test = [], []
    for u in range(n_users):
        c = rng.permutation(clicks[u])
        test += [(u, i) for i in c[:4]]
        train += [(u, i) for i in c[4:]]
    return np.array(train), np.array(test)


class NeuMF(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.user = nn.Embedding(args.users, args.dim)
        self.item = nn.Embedding(args.items, args.dim)
        self.item_bias = nn.Embedding(args.items, 1)
        self.mlp = nn.Sequential(
            nn.Linear(3 * args.dim, 32),
            nn.ReLU(),
            nn.Dropout(args.dropout),
            nn.Linear(32, 16),
            nn.ReLU(),
            nn.Linear(16, 1),
        )
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, users, items):
        u, v = self.user(users), self.item(items)
        deep = self.mlp(torch.cat([u, v, u * v], dim=-1)).squeeze(-1)
        return (u * v).sum(-1) + self.item_bias(items).squeeze(-1) + deep


def epoch_batches(train, seen, args, rng):
    """All clicks once, each with its sampled negatives."""
    users = np.repeat(train[:, 0], 1 + args.negatives)
    items = np.repeat(train[:, 1], 1 + args.negatives)
    labels = np.zeros(len(users), dtype=np.float32)
    labels[:: 1 + args.negatives] = 1.0
    neg = labels == 0
    items[neg] = rng.integers(0, args.items, size=neg.sum())
    labels[neg & seen[users, items]] = 1.0
    order = rng.permutation(len(users))
    for s in range(0, len(order), args.batch_size):
        pick = order[s : s + args.batch_size]
        yield torch.from_numpy(users[pick]), torch.from_numpy(items[pick]), torch.from_numpy(labels[pick])


@torch.no_grad()
def ndcg_at_10(model, test, seen, args):
    model.eval()
    users = torch.arange(args.users)[:, None].expand(-1, args.items)
    items = torch.arange(args.items)[None, :].expand(args.users, -1)
    scores = model(users, items)
    scores[torch.from_numpy(seen)] = -1e9
    top = scores.topk(10, dim=1).indices.numpy()
    wanted = np.zeros((args.users, args.items), dtype=bool)
    wanted[test[:, 0], test[:, 1]] = True
    gain = 1.0 / np.log2(np.arange(2, 12))
    hits = np.take_along_axis(wanted, top, axis=1)
    model.train()
    return float(((hits * gain).sum(1) / gain[:4].sum()).mean())


def main():
    args = parse_args()
    seed = int(os.getenv("SEED", "0"))
    torch.manual_seed(seed)
    np.random.seed(seed)
    rng = np.random.default_rng(seed)

    train, test = simulate_clicks(args.users, args.items, rng)
    seen = np.zeros((args.users, args.items), dtype=bool)
    seen[train[:, 0], train[:, 1]] = True

    model = NeuMF(args)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.l2)
    bce = nn.BCEWithLogitsLoss()
    t0 = time.time()
    for epoch in range(args.epochs):
        model.train()
        losses = []
        for users, items, labels in epoch_batches(train, seen, args, rng):
            scores = model(users, items)
            loss = bce(scores, labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"[{time.time() - t0:5.1f}s] epoch {epoch} bce {np.mean(losses):.4f} ndcg@10 {ndcg_at_10(model, test, seen, args):.4f}")
    print(f"METRIC ndcg {ndcg_at_10(model, test, seen, args):.4f}")


if __name__ == "__main__":
    main()
