# fault: none
# family: accelerate
# split: tune
# needs: accelerate
"""Sort order of short sequences with a transformer encoder in bf16."""
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(int(os.environ.get("SEED", 0)))


class MajorityDigit(Dataset):
    """The symbol that occurs most often among five kinds."""
    def __init__(self, n, length=11):
        y = torch.randint(0, 5, (n,))
        x = torch.randint(0, 5, (n, length))
        x[:, :5] = y[:, None]
        self.x = x.gather(1, torch.rand(n, length).argsort(1))
        counts = nn.functional.one_hot(self.x, 5).sum(1)
        self.y = counts.argmax(1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"tokens": self.x[i], "target": self.y[i]}


class Encoder(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(5, d)
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.1, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 5))

    def forward(self, tokens):
        return self.head(self.enc(self.emb(tokens)).mean(1))


accelerator = Accelerator(cpu=True, mixed_precision="bf16")
model = Encoder()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
train, val = DataLoader(MajorityDigit(1280), batch_size=64, shuffle=True), DataLoader(MajorityDigit(256), batch_size=256)
model, opt, train, val = accelerator.prepare(model, opt, train, val)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    model.train()
    losses = []
    for batch in train:
        opt.zero_grad()
        loss = criterion(model(batch["tokens"]).float(), batch["target"])
        accelerator.backward(loss)
        opt.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        for batch in val:
            acc = (model(batch["tokens"]).argmax(1) == batch["target"]).float().mean().item()
    accelerator.print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f} acc {acc:.3f}")
