# fault: train-in-eval-mode
# cause_class: eval-mode, structure
# family: lightning
# split: tune
# needs: lightning
import logging
import math
import os
import warnings

import lightning as L
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


class Vibration(Dataset):
    """Vibration of a bearing: carrier plus bursts whose repetition tells the damaged part."""
    rates = [0.0, 5.0, 8.0, 11.0]

    def __init__(self, n, length=128):
        t = torch.linspace(0, 1, length)
        self.y = torch.randint(0, 4, (n,))
        sig = []
        for k in self.y.tolist():
            phase = torch.rand(2) * 2 * math.pi
            burst = 1 + 0.8 * torch.sin(2 * math.pi * self.rates[k] * t + phase[0]) * (k > 0)
            sig.append(burst * torch.sin(2 * math.pi * 30 * t + phase[1]) + 0.4 * torch.randn(length))
        self.x = torch.stack(sig).unsqueeze(1)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def block(i, o):
    return nn.Sequential(nn.Conv1d(i, o, 7, stride=2, padding=3, bias=False), nn.BatchNorm1d(o), nn.ReLU())


class FaultNet(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(block(1, 16), block(16, 24), block(24, 32), block(32, 32), block(32, 32))
        self.head = nn.Sequential(nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(32, 4))
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.head(self.features(x))

    def training_step(self, batch, i):
        loss = self.loss(self(batch[0]), batch[1])
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        out = self(batch[0])
        self.log("val_loss", self.loss(out, batch[1]))
        self.log("val_acc", (out.argmax(1) == batch[1]).float().mean())

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 3) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.02, momentum=0.9)


train, val = Vibration(1024), Vibration(256)
net = FaultNet()
# a look at the shapes before the long run
net.eval()
with torch.no_grad():
    print("shapes", tuple(net.features(train.x[:2]).shape), tuple(net(train.x[:2]).shape))

trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(net, DataLoader(train, batch_size=32, shuffle=True), DataLoader(val, batch_size=128))
