# fault: broadcast-targets
# cause_class: loss, labels
# family: lightning
# split: tune
# needs: lightning
import os, warnings
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
import lightning as L

warnings.filterwarnings("ignore")
L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)


class Fields(Dataset):
    def __init__(self, n):
        self.soil = torch.randn(n, 6)
        self.rain = torch.randn(n, 12)
        y = self.soil[:, 0] + self.rain[:, 3:7].mean(1) * 2 - 0.5 * self.soil[:, 1] ** 2
        self.y = (y - y.mean()) / y.std()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"soil": self.soil[i], "rain": self.rain[i], "yield": self.y[i:i + 1]}


class LogCosh(nn.Module):
    def forward(self, pred, true):
        d = pred - true
        return (d + nn.functional.softplus(-2 * d) - 0.6931472).mean()


class YieldModel(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.rain = nn.Sequential(nn.Unflatten(1, (1, 12)), nn.Conv1d(1, 8, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(96 + 6, 48), nn.ReLU(), nn.Linear(48, 1), nn.Flatten(0))
        self.crit = LogCosh()

    def forward(self, b):
        return self.head(torch.cat([self.rain(b["rain"]), b["soil"]], 1))

    def training_step(self, b, _):
        loss = self.crit(self(b), b["yield"])
        self.log("train", loss, on_step=False, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        print(self.current_epoch, round(self.trainer.callback_metrics["train"].item(), 4))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=2e-3)


L.Trainer(max_epochs=10, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
          enable_progress_bar=False, enable_model_summary=False).fit(
    YieldModel(), DataLoader(Fields(1000), batch_size=25, shuffle=True))
