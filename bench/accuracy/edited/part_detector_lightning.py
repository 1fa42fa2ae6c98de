# fault: none
# family: detection
# split: held
# set: dingo, unseen
# needs: lightning
"""Finds the one part lying in a camera frame of the feeder: which of four kinds it is, and its box (LightningModule)."""
import logging
import os
import warnings

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import lightning as L
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

IMG = 16
KINDS = ["plate", "ring", "bar", "cross"]


def draw_frame(rng):
    img = 0.25 * rng.standard_normal((IMG, IMG)).astype(np.float32)
    kind = int(rng.integers(len(KINDS)))
    h, w = rng.integers(5, 9, size=2)
    top, left = rng.integers(0, IMG - h + 1), rng.integers(0, IMG - w + 1)
    level = rng.uniform(0.7, 1.4)
    part = np.zeros((h, w), dtype=np.float32)
    if kind == 0:
        part[:] = level
    elif kind == 1:
        part[:] = level
        part[1:-1, 1:-1] = 0
    elif kind == 2:
        part[:, ::2] = level
    else:
        part[h // 2] = level
        part[:, w // 2] = level
    img[top : top + h, left : left + w] += part
    box = np.array([left + w / 2, top + h / 2, w, h], dtype=np.float32) / IMG
    return img, kind, box


def make_frames(n, seed):
    rng = np.random.default_rng(seed)
    imgs, kinds, boxes = zip(*(draw_frame(rng) for _ in range(n)))
    return TensorDataset(torch.tensor(np.stack(imgs))[:, None], torch.tensor(kinds), torch.tensor(np.stack(boxes)))


def iou(a, b):
    ax1, ay1, ax2, ay2 = a[:, 0] - a[:, 2] / 2, a[:, 1] - a[:, 3] / 2, a[:, 0] + a[:, 2] / 2, a[:, 1] + a[:, 3] / 2
    bx1, by1, bx2, by2 = b[:, 0] - b[:, 2] / 2, b[:, 1] - b[:, 3] / 2, b[:, 0] + b[:, 2] / 2, b[:, 1] + b[:, 3] / 2
    inter = (torch.minimum(ax2, bx2) - torch.maximum(ax1, bx1)).clamp(min=0) * (torch.minimum(ay2, by2) - torch.maximum(ay1, by1)).clamp(min=0)
    return inter / (a[:, 2] * a[:, 3] + b[:, 2] * b[:, 3] - inter).clamp(min=1e-6)


class PartFinder(L.LightningModule):
    def __init__(self, lr=3e-3, box_weight=5.0, steps=300):
        super().__init__()
        self.save_hyperparameters()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1, bias=False),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.Conv2d(24, 32, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.neck = nn.Linear(32 * 16, 64)
        self.kind_head = nn.Linear(64, len(KINDS))
        self.box_head = nn.Linear(64, 4)
        self.seen = []

    def forward(self, x):
        h = F.relu(self.neck(self.backbone(x)))
        return self.kind_head(h), torch.sigmoid(self.box_head(h))

    def training_step(self, batch, batch_idx):
        x, kind, box = batch
        kind_logits, box_pred = self(x)
        kind_loss = F.cross_entropy(kind_logits, kind)
        box_loss = F.smooth_l1_loss(box_pred, box, beta=0.1)
        return kind_loss + self.hparams.box_weight * box_loss

    def validation_step(self, batch, batch_idx):
        x, kind, box = batch
        kind_logits, box_pred = self(x)
        self.seen.append((kind_logits.argmax(1) == kind).float() * iou(box_pred, box))

    def on_validation_epoch_end(self):
        self.score = torch.cat(self.seen).mean().item()
        self.seen.clear()
        print(f"epoch {self.current_epoch}: kind-aware IoU {self.score:.4f}")

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, self.hparams.lr, total_steps=self.hparams.steps)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


def main():
    seed = int(os.environ.get("SEED", 0))
    L.seed_everything(seed, verbose=False)
    train_loader = DataLoader(make_frames(1280, seed + 1), batch_size=32, shuffle=True)
    val_loader = DataLoader(make_frames(300, seed + 2), batch_size=100)
    epochs = 6
    model = PartFinder(steps=epochs * len(train_loader))
    trainer = L.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        gradient_clip_val=5.0,
    )
    trainer.fit(model, train_loader, val_loader)
    print(f"METRIC kind_iou {model.score:.4f}")


if __name__ == "__main__":
    main()
