# fault: eval-in-train-mode
# cause_class: eval-mode, regularisation
# family: cnn
# split: held
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)

CFG = dict(classes=5, channels=(12, 24), dropout=0.5, lr=2e-3, batch=40, epochs=4)


class Textures(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, CFG["classes"], (n,), generator=g)
        phase = 6.28 * torch.rand(n, 1, 1, generator=g)
        yy, xx = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
        angle = (self.y.float() * 3.14159 / CFG["classes"]).view(-1, 1, 1)
        wave = torch.sin(0.9 * (xx * angle.cos() + yy * angle.sin()) + phase)
        self.x = (wave + 0.8 * torch.randn(n, 16, 16, generator=g))[:, None]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def conv_block(i, o, p):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Dropout(p))


class InspectionNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        a, b = cfg["channels"]
        self.blocks = nn.Sequential(conv_block(1, a, 0.1), conv_block(a, b, 0.1))
        self.fc = nn.Sequential(nn.Linear(b * 16, 64), nn.ReLU(), nn.Dropout(cfg["dropout"]),
                                nn.Linear(64, cfg["classes"]))

    def forward(self, x):
        return self.fc(self.blocks(x).flatten(1))


class Runner:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = InspectionNet(cfg)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg["lr"])
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, cfg["epochs"])
        self.ce = nn.CrossEntropyLoss()

    def loop(self, loader, training):
        total = hits = 0.0
        self.model.train()
        with torch.set_grad_enabled(training):
            for x, y in loader:
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=training):
                    logits = self.model(x)
                    loss = self.ce(logits, y)
                if training:
                    self.opt.zero_grad()
                    loss.backward()
                    self.opt.step()
                total += loss.item() * len(y)
                hits += (logits.argmax(1) == y).sum().item()
        return total / len(loader.dataset), hits / len(loader.dataset)

    def run(self, train, valid):
        for epoch in range(self.cfg["epochs"]):
            tl, ta = self.loop(train, True)
            vl, va = self.loop(valid, False)
            self.sched.step()
            print(f"epoch {epoch} train {tl:.3f}/{ta:.3f} valid {vl:.3f}/{va:.3f}")


Runner(CFG).run(DataLoader(Textures(2000, SEED + 1), CFG["batch"], shuffle=True), DataLoader(Textures(400, SEED + 2), 8))
