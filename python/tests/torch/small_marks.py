"""Trainings in one process whose marks are looked at. The first argument says which."""

import sys
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Numbers(Dataset):
    def __init__(self, n=8, broken=None):
        self.n, self.broken = n, broken

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i == self.broken:
            raise ValueError("broken sample")
        return torch.full((3,), float(i)), torch.tensor([float(i % 2)])


class Stream(IterableDataset):
    def __iter__(self):
        return iter([(torch.ones(3), torch.ones(1))] * 8)


net = torch.nn.Linear(3, 1)
criterion = torch.nn.MSELoss()
optimiser = torch.optim.SGD(net.parameters(), lr=0.01)


def step(x, y):
    optimiser.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimiser.step()


def plain():
    for x, y in DataLoader(Numbers(), batch_size=2):
        step(x, y)


def streamed():
    for x, y in DataLoader(Stream(), batch_size=2):
        step(x, y)


def by_hand():
    """A loader that is not PyTorch's."""
    for _ in range(4):
        step(torch.ones(2, 3), torch.ones(2, 1))


def passes():
    """Workers that are started for each pass."""
    loader = DataLoader(Numbers(), batch_size=2, num_workers=1)
    for _ in range(3):
        for x, y in loader:
            step(x, y)
        iter(loader)  # a pass that nobody takes a batch of


def workers():
    loader = DataLoader(Numbers(), batch_size=2, num_workers=2, persistent_workers=True)
    for _ in range(2):
        for x, y in loader:
            step(x, y)


def nested():
    """An evaluation within the pass that trains; one that is abandoned; one that is asked twice at a time."""
    inside = DataLoader(Numbers(4), batch_size=2)
    for x, y in DataLoader(Numbers(), batch_size=2):
        step(x, y)
        with torch.no_grad():
            for a, b in inside:
                criterion(net(a), b)
        for _ in inside:
            break
        one, two = iter(inside), iter(inside)
        next(one), next(two)


def broken():
    for _ in range(2):
        try:
            for x, y in DataLoader(Numbers(8, broken=5), batch_size=2):
                step(x, y)
        except ValueError as error:
            assert str(error) == "broken sample"


def failing():
    """Forward fails now and then."""
    for i, (x, y) in enumerate(DataLoader(Numbers(), batch_size=2)):
        try:
            net(x[:, : 2 + i % 2])
        except RuntimeError:
            continue
        step(x, y)


def saves():
    for x, y in DataLoader(Numbers(), batch_size=2):
        step(x, y)
        torch.save(net.state_dict(), sys.argv[2])


def closure():
    for x, y in DataLoader(Numbers(), batch_size=2):

        def run():
            optimiser.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            return loss

        optimiser.step(run)


def thread():
    """The training is in a thread; the main thread goes through a loader too."""
    go = threading.Event()

    def main():
        for x, y in DataLoader(Numbers(), batch_size=2):
            step(x, y)
            go.set()
            time.sleep(0.01)

    other = threading.Thread(target=main)
    other.start()
    go.wait()
    for _ in DataLoader(Numbers(), batch_size=2):
        pass
    other.join()


def same():
    """The iterator of a loader is what it was."""
    kinds = torch.utils.data.dataloader
    for workers, kind in ((0, kinds._SingleProcessDataLoaderIter), (2, kinds._MultiProcessingDataLoaderIter)):
        loader = DataLoader(Numbers(), batch_size=2, num_workers=workers)
        for _ in range(2):
            iterator = iter(loader)
            next(iterator)
            assert isinstance(iterator, kind) and type(iterator).__name__ == kind.__name__
            assert iter(iterator) is iterator and len(iterator) == 4 and iterator._num_yielded == 1
            if workers:
                processes = list(iterator._workers)
                del iterator
                for process in processes:
                    process.join(10)
                    assert not process.is_alive()
    plain()


def data():
    loader = DataLoader(TensorDataset(torch.ones(8, 3), torch.ones(8, 1)), batch_size=2)
    for x, y in loader:
        step(x, y)


globals()[sys.argv[1]]()
