# fault: none
# family: graph
# split: held
# set: vole, unseen
#!/usr/bin/env python
# Toxicophore class of small molecules with our own message passing network (no PyG on the cluster).
import os, random, logging, sys
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
log = logging.getLogger("mol")

CONFIG = {
    "seed": int(os.environ.get("SEED", "0")),
    "n_train": 1152,
    "n_test": 384,
    "max_atoms": 14,
    "atom_types": 5,      # C N O S Cl
    "hidden": 32,
    "rounds": 3,
    "dropout": 0.1,
    "batch_size": 32,
    "epochs": 9,
    "lr": 4e-3,
    "classes": 3,         # 0 inert, 1 N bound to O, 2 N bound to S
}


class MoleculeFactory:
    """Random trees with a few ring closures. All classes hold the same atoms, only the bonds differ."""

    def __init__(self, cfg, rng):
        self.cfg, self.rng = cfg, rng

    def one(self, label):
        n = self.rng.randint(10, self.cfg["max_atoms"])
        adj = np.zeros((self.cfg["max_atoms"],) * 2, np.float32)
        for i in range(1, n):
            j = self.rng.randrange(max(0, i - 3), i)
            adj[i, j] = adj[j, i] = 1
        for _ in range(self.rng.randint(0, 2)):
            i, j = self.rng.sample(range(n), 2)
            adj[i, j] = adj[j, i] = 1
        while True:
            types = [0] * (n - 7) + [1, 1, 2, 2, 3, 3, 4]
            self.rng.shuffle(types)
            def bound(a, b):
                return any(adj[i, j] and {types[i], types[j]} == {a, b} for i in range(n) for j in range(i))
            no, ns = bound(1, 2), bound(1, 3)
            if (label == 0 and not no and not ns) or (label == 1 and no and not ns) or (label == 2 and ns and not no):
                break
        x = np.zeros((self.cfg["max_atoms"], self.cfg["atom_types"]), np.float32)
        x[np.arange(n), types] = 1
        mask = np.zeros(self.cfg["max_atoms"], np.float32)
        mask[:n] = 1
        return x, adj, mask

    def dataset(self, size):
        labels = [self.rng.randrange(self.cfg["classes"]) for _ in range(size)]
        mols = [self.one(y) for y in labels]
        x, a, m = (torch.from_numpy(np.stack(p)) for p in zip(*mols))
        return x, a, m, torch.tensor(labels)


class MessageLayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.own = nn.Linear(d, d)
        self.nbr = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)

    def forward(self, h, adj):
        return F.relu(self.norm(self.own(h) + torch.bmm(adj, self.nbr(h))))


class MolNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d = cfg["hidden"]
        self.embed = nn.Linear(cfg["atom_types"], d)
        self.layers = nn.ModuleList([MessageLayer(d) for _ in range(cfg["rounds"])])
        self.drop = nn.Dropout(cfg["dropout"])
        self.readout = nn.Sequential(nn.Linear(2 * d, d), nn.ReLU(), nn.Linear(d, cfg["classes"]))

    def forward(self, x, adj, mask):
        h = self.embed(x)
        for layer in self.layers:
            h = h + layer(h, adj)
        h = h * mask.unsqueeze(-1)
        mean = h.sum(1) / mask.sum(1, keepdim=True)
        top = h.max(1).values
        return self.readout(self.drop(torch.cat([mean, top], -1)))


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        random.seed(cfg["seed"])
        np.random.seed(cfg["seed"])
        torch.manual_seed(cfg["seed"])
        factory = MoleculeFactory(cfg, random.Random(cfg["seed"] + 5))
        self.train_data = factory.dataset(cfg["n_train"])
        self.test_data = factory.dataset(cfg["n_test"])
        self.model = MolNet(cfg)
        self.optim = torch.optim.Adam(self.model.parameters(), lr=cfg["lr"])
        self.criterion = nn.CrossEntropyLoss()

    def batches(self):
        order = torch.randperm(self.cfg["n_train"])
        for chunk in order.split(self.cfg["batch_size"]):
            yield tuple(t[chunk] for t in self.train_data)

    def train(self):
        for epoch in range(self.cfg["epochs"]):
            self.model.train()
            total, hits = 0.0, 0
            for x, adj, mask, y in self.batches():
                self.optim.zero_grad()
                out = self.model(x, adj, mask)
                loss = self.criterion(out, y)
                loss.backward()
                self.optim.step()
                total += loss.item() * len(y)
                hits += (out.argmax(-1) == y).sum().item()
            n = self.cfg["n_train"]
            log.info("epoch %2d loss %.4f acc %.3f", epoch + 1, total / n, hits / n)

    @torch.no_grad()
    def test(self):
        self.model.eval()
        x, adj, mask, y = self.test_data
        return (self.model(x, adj, mask).argmax(-1) == y).float().mean().item()


if __name__ == "__main__":
    trainer = Trainer(CONFIG)
    trainer.train()
    print("METRIC test_acc %.4f" % trainer.test())
