# fault: model-replaced
# cause_class: not-updated, optimizer
# family: tabular
# split: held
# needs: numpy, sklearn
import os
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from torch.utils.data import DataLoader, TensorDataset, Subset

torch.manual_seed(int(os.environ.get("SEED", 0)))
np.random.seed(int(os.environ.get("SEED", 0)))

k_folds = 5
num_epochs = 12
loss_function = nn.BCEWithLogitsLoss()

data = load_breast_cancer()
X = (data.data - data.data.mean(0)) / data.data.std(0)
dataset = TensorDataset(torch.tensor(X, dtype=torch.float32), torch.tensor(data.target, dtype=torch.float32))


def build_network():
    return nn.Sequential(
        nn.Linear(30, 32), nn.ReLU(),
        nn.Linear(32, 16), nn.ReLU(),
        nn.Linear(16, 1), nn.Flatten(0),
    )


network = build_network()
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
results = {}

kfold = StratifiedKFold(n_splits=k_folds, shuffle=True, random_state=int(os.environ.get("SEED", 0)))
for fold, (train_ids, test_ids) in enumerate(kfold.split(X, data.target)):
    print(f"FOLD {fold}")
    trainloader = DataLoader(Subset(dataset, train_ids.tolist()), batch_size=16, shuffle=True)
    testloader = DataLoader(Subset(dataset, test_ids.tolist()), batch_size=64)

    # fresh weights, so that no fold profits from what the fold before has seen
    if fold > 0:
        network = build_network()

    for epoch in range(num_epochs):
        network.train()
        current_loss = 0.0
        for inputs, targets in trainloader:
            optimizer.zero_grad()
            loss = loss_function(network(inputs), targets)
            loss.backward()
            optimizer.step()
            current_loss += loss.item()
        if epoch % 4 == 3:
            print(f"  epoch {epoch + 1}: loss {current_loss / len(trainloader):.4f}")

    network.eval()
    correct = 0
    with torch.no_grad():
        for inputs, targets in testloader:
            correct += ((network(inputs) > 0).float() == targets).sum().item()
    results[fold] = 100.0 * correct / len(test_ids)
    print(f"  accuracy for fold {fold}: {results[fold]:.1f} %")

print(f"average: {np.mean(list(results.values())):.1f} %, spread {np.std(list(results.values())):.1f}")
