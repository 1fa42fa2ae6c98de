# fault: none
# family: selfsupervised
# split: held
# needs: lightning
# SimSiam on accelerometer snippets with Lightning. Loss is a negative cosine (from 0 down to -1), the target branch is
# detached on purpose. A ridge probe after training shows whether the features are worth something.
import logging
import os
import warnings
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
ACTIVITIES, T = 6, 48
freq = torch.tensor([1.0, 1.0, 2.5, 2.5, 4.0, 4.0])
second = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])


def snippet(n):
    k = torch.randint(ACTIVITIES, (n,))
    t = torch.linspace(0, 6.283, T)
    ph = 6.283 * torch.rand(n, 1)
    base = torch.sin(freq[k][:, None] * t + ph) + second[k][:, None] * 0.8 * torch.sin(2 * freq[k][:, None] * t + 2 * ph)
    return torch.stack([base, base.roll(6, 1)], 1) * (0.7 + 0.6 * torch.rand(n, 1, 1)) + 0.25 * torch.randn(n, 2, T), k


def augment(x):
    x = x * (0.7 + 0.6 * torch.rand(len(x), 1, 1))
    x = torch.roll(x, int(torch.randint(T, ())), dims=2)
    return x + 0.15 * torch.randn_like(x)


class Snippets(Dataset):
    def __init__(self, n):
        self.x, self.k = snippet(n)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.k[i]


class SimSiam(L.LightningModule):
    def __init__(self, feat=48, dim=32):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv1d(2, 32, 7, padding=3, padding_mode="circular"), nn.BatchNorm1d(32), nn.ReLU(),
            nn.Conv1d(32, feat, 7, stride=2, padding=3, padding_mode="circular"), nn.BatchNorm1d(feat), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten())
        self.projector = nn.Sequential(nn.Linear(feat, dim), nn.BatchNorm1d(dim), nn.ReLU(), nn.Linear(dim, dim), nn.BatchNorm1d(dim, affine=False))
        self.predictor = nn.Sequential(nn.Linear(dim, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, dim))

    def training_step(self, batch, _):
        x, _ = batch
        z1, z2 = self.projector(self.backbone(augment(x))), self.projector(self.backbone(augment(x)))
        p1, p2 = self.predictor(z1), self.predictor(z2)
        loss = -(F.cosine_similarity(p1, z2.detach()).mean() + F.cosine_similarity(p2, z1.detach()).mean()) / 2
        self.last = loss.item()
        return loss

    def on_train_epoch_end(self):
        print(f"epoch {self.current_epoch} loss {self.last:.3f}")

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=0.06, momentum=0.9, weight_decay=1e-4)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)}


@torch.no_grad()
def probe(net, train, test):
    net.eval()
    a, b = net.backbone(train.x), net.backbone(test.x)
    mu, sd = a.mean(0), a.std(0) + 1e-6
    a, b = [torch.cat([(m - mu) / sd, torch.ones(len(m), 1)], 1) for m in (a, b)]
    w = torch.linalg.solve(a.T @ a + 5 * torch.eye(a.size(1)), a.T @ F.one_hot(train.k, ACTIVITIES).float())
    return ((b @ w).argmax(1) == test.k).float().mean().item()


train, test = Snippets(1536), Snippets(500)
few = Snippets(60)
model = SimSiam()
print(f"probe, random features, 60 labels: {probe(model, few, test):.3f}")
trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
trainer.fit(model, DataLoader(train, batch_size=96, shuffle=True, drop_last=True))
print(f"probe after training: {probe(model, few, test):.3f}")
