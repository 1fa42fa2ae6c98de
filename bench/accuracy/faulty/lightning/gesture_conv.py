# fault: softmax-twice
# cause_class: output-activation, loss
# family: lightning
# split: tune
# needs: lightning
import os
import logging
import warnings
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import lightning as L

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


def gestures(n, classes=12, length=40):
    """Accelerometer traces: three channels, a class is a pair of frequencies."""
    y = torch.randint(0, classes, (n,))
    t = torch.linspace(0, 1, length)
    f1, f2 = 1 + y % 4, 1 + y // 4
    ph = torch.rand(n, 3, 1) * 0.8
    freq = torch.stack([f1, f2, f1 + f2], 1)[..., None].float()
    x = torch.sin(6.283 * (freq * t + ph)) + 0.3 * torch.randn(n, 3, length)
    return TensorDataset(x, y)


class GestureNet(L.LightningModule):
    def __init__(self, classes=12, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.features = nn.Sequential(
            nn.Conv1d(3, 16, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(16, 32, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten())
        self.classifier = nn.Sequential(nn.Linear(128, classes), nn.Softmax(dim=1))

    def forward(self, x):
        return self.classifier(self.features(x))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log_dict({"val_loss": F.cross_entropy(out, y), "val_acc": (out.argmax(1) == y).float().mean()})

    def on_validation_epoch_end(self):
        print({k: round(float(v), 3) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


train = DataLoader(gestures(1200), batch_size=32, shuffle=True)
val = DataLoader(gestures(300), batch_size=300)
trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(GestureNet(), train, val)
