# fault: identical-batches
# cause_class: data-loading
# family: transformer
# split: held
# twin: healthy/transformer/receipts_iter.py
# kind of shop from the items on a receipt
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
SHOPS, ITEMS, L = 5, 60, 12
offer = torch.softmax(1.4 * torch.randn(SHOPS, ITEMS), 1)
shop = torch.randint(SHOPS, (2000,))
items = torch.multinomial(offer[shop], L, replacement=True)
loader = DataLoader(TensorDataset(items[:1600], shop[:1600]), batch_size=32)


class Model(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.e = nn.Embedding(ITEMS, d)
        self.t = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.1, batch_first=True)
        self.o = nn.Linear(d, SHOPS)

    def forward(self, x):
        return self.o(self.t(self.e(x)).mean(1))


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()
for step in range(1, 401):
    x, y = next(iter(loader))
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        model.eval()
        with torch.no_grad():
            o = model(items[1600:])
            v = loss_fn(o, shop[1600:])
        model.train()
        print(f"step {step} loss {loss.item():.4f} val loss {v.item():.4f} val acc {(o.argmax(1) == shop[1600:]).float().mean().item():.3f}")
