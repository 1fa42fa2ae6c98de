# fault: none
# family: accelerate
# split: held
# needs: accelerate
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from accelerate import Accelerator
from accelerate.utils import set_seed


class Waves(Dataset):
    """classify the number of periods (1..4) of a noisy wave"""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 4, (n,), generator=g)
        t = torch.linspace(0, 1, 48)
        phase = torch.rand(n, 1, generator=g) * 6.28
        self.x = torch.sin(6.28 * (self.y[:, None] + 1) * t + phase) + 0.4 * torch.randn(n, 48, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"signal": self.x[i][None], "label": self.y[i]}


class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv1d(1, 16, 7, padding=3), nn.GELU(), nn.AvgPool1d(2),
                                      nn.Conv1d(16, 32, 5, padding=2), nn.GELU(), nn.AvgPool1d(2), nn.Flatten())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(32 * 12, 4))

    def forward(self, signal):
        return self.head(self.features(signal))


def main():
    seed = int(os.environ.get("SEED", 0))
    accelerator = Accelerator(gradient_accumulation_steps=4, mixed_precision="bf16", cpu=True)
    set_seed(seed)
    model = WaveNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    train_dl = DataLoader(Waves(1600, seed), batch_size=8, shuffle=True)
    val_dl = DataLoader(Waves(200, seed + 1), batch_size=100)
    epochs = 4
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(train_dl) // 4)
    model, optimizer, train_dl, val_dl, scheduler = accelerator.prepare(model, optimizer, train_dl, val_dl, scheduler)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        seen = 0.0
        for batch in train_dl:
            with accelerator.accumulate(model):
                with accelerator.autocast():
                    loss = loss_fn(model(batch["signal"]), batch["label"])
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            seen += loss.detach().float().item()
        model.eval()
        right = total = 0
        with torch.no_grad():
            for batch in val_dl:
                p = model(batch["signal"]).argmax(-1)
                p, y = accelerator.gather_for_metrics((p, batch["label"]))
                right += (p == y).sum().item(); total += len(y)
        accelerator.print(f"epoch {epoch} loss {seen / len(train_dl):.4f} accuracy {right / total:.3f} lr {scheduler.get_last_lr()[0]:.2e}")


if __name__ == "__main__":
    main()
