# fault: output-range
# cause_class: output-activation, data-scaling
# family: regression
# split: tune
"""Power output of a turbine from weather; everything standardised."""
import os
import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))

wind = torch.rand(1500) * 20
direction = torch.rand(1500) * 6.28
density = 1.2 + 0.05 * torch.randn(1500)
power = density * wind.clamp(3, 13) ** 3 * (0.8 + 0.2 * torch.cos(direction)) + 20 * torch.randn(1500)
features = torch.stack([wind, torch.sin(direction), torch.cos(direction), density], 1)
mean, std = features[:1200].mean(0), features[:1200].std(0)
features = (features - mean) / std
target = ((power - power[:1200].mean()) / power[:1200].std()).unsqueeze(1)


def build(sizes, act=torch.nn.ReLU):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers.append(torch.nn.Linear(a, b))
        layers.append(act())
    return torch.nn.Sequential(*layers)


model = build([4, 64, 32, 1])
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(25):
    model.train()
    perm = torch.randperm(1200)
    for i in range(0, 1200, 48):
        idx = perm[i:i + 48]
        loss = torch.nn.functional.mse_loss(model(features[idx]), target[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 4 == 0:
        model.eval()
        with torch.no_grad():
            mse = torch.nn.functional.mse_loss(model(features[1200:]), target[1200:])
        print(f"epoch {epoch}: last batch {loss.item():.4f}, held-out mse {mse.item():.4f}")
