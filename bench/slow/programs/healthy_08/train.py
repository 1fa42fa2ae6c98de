import pathlib
import tempfile
import time

import torch
import torch.nn as nn


def spectra(n, gen):
    """Absorption spectra of mixtures of nine substances; the shares are what is asked for."""
    grid = torch.linspace(0, 1, 600)
    lines = torch.rand(9, 7, generator=torch.Generator().manual_seed(0))
    pure = torch.exp(-((grid - lines[..., None]) ** 2) / 0.0004).sum(1)
    shares = torch.distributions.Dirichlet(torch.full((9,), 0.7)).sample((n,))
    strength = 0.7 + 0.6 * torch.rand(n, 1, generator=gen)
    return shares @ pure * strength + 0.05 * torch.randn(n, 600, generator=gen), shares


class Unmixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(600, 1400), nn.GELU(), nn.Linear(1400, 1400), nn.GELU(), nn.Linear(1400, 1400), nn.GELU(), nn.Linear(1400, 9)
        )

    def forward(self, x):
        return self.net(x).log_softmax(1)


def save(path, model, optimizer, epoch):
    part = path.with_suffix(".part")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, part)
    part.rename(path)


def main():
    torch.manual_seed(7)
    gen = torch.Generator().manual_seed(7)
    x, shares = spectra(10240, gen)
    model = Unmixer()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "last.pt"
        start = time.time()
        for epoch in range(1, 7):
            total = 0.0
            for idx in torch.randperm(len(x)).split(256):
                loss = nn.functional.kl_div(model(x[idx]), shares[idx], reduction="batchmean")
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            if epoch % 3 == 0:
                save(path, model, optimizer, epoch)
            print(f"epoch {epoch}  {total / 40:.4f}  {time.time() - start:.1f} s")


if __name__ == "__main__":
    main()
