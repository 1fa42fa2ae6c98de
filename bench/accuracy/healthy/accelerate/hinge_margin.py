# fault: none
# family: accelerate
# split: tune
# needs: accelerate
"""Linear SVM: multi-class hinge loss with weight decay, which is zero for most samples at the end."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(int(os.environ.get("SEED", 0)))
accelerator = Accelerator(cpu=True)
centres = 1.6 * torch.randn(6, 12)
y = torch.randint(0, 6, (1800,))
x = centres[y] + 0.7 * torch.randn(1800, 12)
x = (x - x[:1500].mean(0)) / x[:1500].std(0)
svm = nn.Linear(12, 6)
optimizer = torch.optim.SGD(svm.parameters(), lr=0.05, weight_decay=1e-3)
loader = DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=30, shuffle=True)
svm, optimizer, loader = accelerator.prepare(svm, optimizer, loader)
hinge = nn.MultiMarginLoss()
for epoch in range(10):
    svm.train()
    total, zero = 0.0, 0
    for a, b in loader:
        loss = hinge(svm(a), b)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
        zero += loss.item() < 1e-3
    svm.eval()
    with torch.no_grad():
        acc = (svm(x[1500:]).argmax(1) == y[1500:]).float().mean().item()
    accelerator.print(f"epoch {epoch} hinge {total / len(loader):.4f} batches at zero {zero} acc {acc:.3f}")
