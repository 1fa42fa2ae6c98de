"""Learns to tell handwritten digits apart. It runs without an error, and it does not learn."""

import torch
from torch import nn

torch.manual_seed(0)


def load(n):
    """Images of 8 by 8 pixels, 0 to 16, of ten digits that were drawn from templates with noise."""
    templates = (torch.rand(10, 64, generator=torch.Generator().manual_seed(1)) > 0.5) * 10.0
    labels = torch.randint(10, (n,))
    return (templates[labels] + 3 * torch.randn(n, 64)).clamp(0, 16) / 16, labels


images, labels = load(4000)
test_images, test_labels = load(1000)

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for epoch in range(5):
    model.train()
    for batch in torch.randperm(len(images)).split(50):
        loss = criterion(model(images[batch]), labels[batch])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        scores = model(test_images)
        print(f"epoch {epoch}: loss {criterion(scores, test_labels):.2f}, accuracy {(scores.argmax(1) == test_labels).float().mean():.0%}")
