"""Heart rate from the light sensor of a watch: a recurrent network that answers at every time step."""
import math
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

STEPS, CHANNELS = 120, 6


def record(n, seed):
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(STEPS) / 25.0
    rate = 1.0 + torch.rand(n, 1, generator=g) + 0.2 * torch.sin(t * torch.rand(n, 1, generator=g))
    phase = 2 * math.pi * torch.cumsum(rate / 25.0, dim=1)
    gains = torch.rand(n, 1, CHANNELS, generator=g) + 0.3
    lags = torch.arange(CHANNELS) * 0.4
    signal = gains * torch.sin(phase.unsqueeze(-1) + lags) + 0.25 * torch.randn(n, STEPS, CHANNELS, generator=g)
    return signal, (rate - 1.5) * 2


class RateNet(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.rnn = nn.GRU(CHANNELS, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Sequential(nn.Linear(hidden, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, signal):
        states, _ = self.rnn(signal)
        rates = []
        for t in range(states.size(1)):
            rates.append(self.head(self.norm(states[:, t])))
        return torch.cat(rates, dim=1)


class Experiment:
    def __init__(self):
        torch.manual_seed(4)
        self.model = RateNet()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=3)
        self.train_data = DataLoader(TensorDataset(*record(2560, seed=0)), batch_size=32, shuffle=True)
        self.test_signal, self.test_rate = record(256, seed=1)

    def train(self, epochs):
        for epoch in range(epochs):
            self.model.train()
            for signal, rate in self.train_data:
                predicted = self.model(signal)
                loss = nn.functional.smooth_l1_loss(predicted[:, 25:], rate[:, 25:])
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
            self.scheduler.step()
            print(f"epoch {epoch}: error {self.test():.2f} beats per minute")

    @torch.no_grad()
    def test(self):
        self.model.eval()
        predicted = self.model(self.test_signal)
        return (30 * (predicted - self.test_rate)[:, 25:].abs().mean()).item()


if __name__ == "__main__":
    experiment = Experiment()
    began = time.time()
    experiment.train(epochs=3)
    print(f"{time.time() - began:.1f} s")
