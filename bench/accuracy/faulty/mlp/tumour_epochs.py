# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: mlp
# split: tune
# needs: sklearn
import os
import torch
from torch import nn
from torch.utils.data import TensorDataset, DataLoader
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
scaler = StandardScaler().fit(X_train)
to_t = lambda a: torch.tensor(scaler.transform(a), dtype=torch.float32)
train_ds = TensorDataset(to_t(X_train), torch.tensor(y_train))
X_test, y_test = to_t(X_test), torch.tensor(y_test)

net = nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
loader = DataLoader(train_ds, batch_size=16, shuffle=True)

def train_one_epoch():
    net.train()
    optimizer.zero_grad()
    running = 0.0
    for inputs, targets in loader:
        loss = criterion(net(inputs), targets)
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / len(loader)

for epoch in range(20):
    train_loss = train_one_epoch()
    net.eval()
    with torch.no_grad():
        logits = net(X_test)
        val_loss = criterion(logits, y_test).item()
        acc = (logits.argmax(1) == y_test).float().mean().item()
    if epoch % 3 == 0:
        print(f"Epoch {epoch}: train {train_loss:.4f} val {val_loss:.4f} acc {acc:.3f}")
