"""Trains a small network the way that the first argument names, and prints the epoch of each update as the script itself counts it.

The second argument is a seed: how many batches an epoch has, where it is left early, how often it is validated.
"""

import itertools
import json
import queue
import random
import sys
import threading

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

STYLE, SEED = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
chance = random.Random(SEED)
torch.manual_seed(SEED)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
log = []  # the epoch of each update

BATCHES = chance.choice([1, 2, 3, chance.randint(4, 30), chance.randint(31, 200)])
EPOCHS = min(max(3, 300 // BATCHES), 40) + chance.randint(0, 2)


def data(batches):
    return TensorDataset(torch.randn(4 * batches, 4), torch.randint(0, 3, (4 * batches,)))


def loader(batches, **settings):
    return DataLoader(data(batches), batch_size=4, shuffle=True, **settings)


def update(batch, epoch):
    backward(batch)
    step(epoch)


def backward(batch):
    x, y = batch
    functional.cross_entropy(model(x), y).backward()


def step(epoch):
    optimizer.step()
    optimizer.zero_grad()
    log.append(epoch)


def validate(batches, at_most=1 << 30):
    model.eval()
    with torch.no_grad():
        for i, (x, y) in enumerate(batches):
            functional.cross_entropy(model(x), y)
            if i + 1 >= at_most:
                break
    model.train()


def plain():
    train = loader(BATCHES)
    for epoch in range(EPOCHS):
        for batch in train:
            update(batch, epoch + 1)


def while_next():
    train = loader(BATCHES)
    batches, epoch = iter(train), 1
    while epoch <= EPOCHS:
        try:
            batch = next(batches)
        except StopIteration:
            batches, epoch = iter(train), epoch + 1
            continue
        update(batch, epoch)


def nested():
    """One epoch in a function, several updates with a batch."""

    def one_epoch(epoch):
        for batch in train:
            for _ in range(times):
                update(batch, epoch)

    train, times = loader(BATCHES), chance.randint(2, 3)
    for epoch in range(EPOCHS):
        one_epoch(epoch + 1)


def left_early():
    train = loader(BATCHES + 1)
    for epoch in range(EPOCHS):
        most = chance.randint(1, BATCHES)
        for i, batch in enumerate(train):
            if i == most:
                break
            update(batch, epoch + 1)


def left_early_always_there():
    train = loader(BATCHES + 1)
    for epoch in range(EPOCHS):
        for i, batch in enumerate(train):
            update(batch, epoch + 1)
            if i + 1 == BATCHES:
                break


class Bar(object):
    """A progress bar."""

    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        for batch in self.batches:
            yield batch


def progress_bar():
    train = loader(BATCHES)
    for epoch in range(EPOCHS):
        for batch in Bar(train):
            update(batch, epoch + 1)


def together():
    first, second = loader(BATCHES), loader(BATCHES + chance.randint(0, 5))
    for epoch in range(EPOCHS):
        for (x, y), (x2, y2) in zip(first, second):
            update((torch.cat([x, x2]), torch.cat([y, y2])), epoch + 1)


def endless():
    def cycle(batches):
        while True:
            for batch in batches:
                yield batch

    train = loader(BATCHES)
    for i, batch in zip(range(BATCHES * EPOCHS), cycle(train)):
        update(batch, i // BATCHES + 1)


def cached():
    """The first pass goes on for ever."""
    train = loader(BATCHES)
    for i, batch in zip(range(BATCHES * EPOCHS), itertools.cycle(train)):
        update(batch, i // BATCHES + 1)


def validated():
    train, validation = loader(BATCHES), loader(chance.randint(1, 12))
    every, before = chance.randint(1, 60), chance.random() < 0.5
    n = 0
    if before:
        validate(validation, 2)
    for epoch in range(EPOCHS):
        for batch in train:
            n += 1
            update(batch, epoch + 1)
            if n % every == 0:
                validate(validation)


def validated_with_a_batch_in_hand():
    train, validation = loader(BATCHES), loader(chance.randint(1, 12))
    every, most = chance.randint(1, 40), chance.randint(1, 12)
    for epoch in range(EPOCHS):
        for i, batch in enumerate(train):
            if i % every == 0:
                validate(validation, most)
            update(batch, epoch + 1)


def validated_between():
    train, validation = loader(BATCHES), loader(chance.randint(1, 12))
    for epoch in range(EPOCHS):
        for batch in train:
            update(batch, epoch + 1)
        if chance.random() < 0.7:
            validate(validation, chance.randint(1, 12))
        if chance.random() < 0.3:
            validate(train)


def accumulated():
    """What is left of an epoch goes into the first update of the next one."""
    train, every, n = loader(BATCHES), chance.randint(2, 5), 0
    for epoch in range(EPOCHS):
        for batch in train:
            n += 1
            backward(batch)
            if n % every == 0:
                step(epoch + 1)


def accumulated_to_the_end():
    train, every = loader(BATCHES), chance.randint(2, 5)
    for epoch in range(EPOCHS):
        for i, batch in enumerate(train):
            backward(batch)
            if (i + 1) % every == 0 or i + 1 == BATCHES:
                step(epoch + 1)


def in_turn():
    """Two sets of data in every epoch."""
    first, second = loader(BATCHES), loader(chance.randint(1, 40))
    for epoch in range(EPOCHS // 2 + 1):
        for batch in first:
            update(batch, epoch + 1)
        for batch in second:
            update(batch, epoch + 1)


def chained():
    first, second = loader(BATCHES), loader(chance.randint(1, 40))
    for epoch in range(EPOCHS // 2 + 1):
        for batch in itertools.chain(first, second):
            update(batch, epoch + 1)


def one_after_another():
    """Epochs of one set of data, then of another."""
    first, second = loader(BATCHES), loader(chance.randint(1, 40))
    for epoch in range(EPOCHS // 2 + 2):
        for batch in first if epoch < EPOCHS // 2 else second:
            update(batch, epoch + 1)


def with_another_that_goes_on():
    """The second loader begins again wherever it is over."""
    labelled, other = loader(BATCHES), loader(chance.randint(1, 40))
    more = iter(other)
    for epoch in range(EPOCHS):
        for x, y in labelled:
            try:
                x2, y2 = next(more)
            except StopIteration:
                more = iter(other)
                x2, y2 = next(more)
            update((torch.cat([x, x2]), torch.cat([y, y2])), epoch + 1)


class Stream(IterableDataset):
    def __iter__(self):
        for _ in range(BATCHES):
            yield torch.randn(4, 4), torch.randint(0, 3, (4,))


def without_a_length():
    train = DataLoader(Stream(), batch_size=None)
    for epoch in range(EPOCHS):
        for batch in train:
            update(batch, epoch + 1)


def workers():
    train = loader(min(BATCHES, 40), num_workers=1, persistent_workers=SEED % 2 == 0)
    for epoch in range(4):
        for batch in train:
            update(batch, epoch + 1)


def one_ahead():
    """The next batch is taken before the one at hand is given."""

    def ahead(batches):
        batches = iter(batches)
        batch = next(batches)
        for after in batches:
            yield batch
            batch = after
        yield batch

    train, validation = loader(BATCHES), loader(3)
    for epoch in range(EPOCHS):
        for i, batch in enumerate(ahead(train)):
            update(batch, epoch + 1)
            if i + 2 == BATCHES:
                validate(validation)


def by_another_thread():
    """A thread takes the batches."""

    def given(batches):
        def fill():
            for batch in batches:
                wanted.get()
                full.put(batch)
            wanted.get()
            full.put(None)

        wanted, full = queue.Queue(), queue.Queue()
        batches = iter(batches)
        thread = threading.Thread(target=fill)
        thread.start()
        while True:
            wanted.put(True)
            batch = full.get()
            if batch is None:
                break
            yield batch
        thread.join()

    train = loader(BATCHES)
    for epoch in range(EPOCHS):
        for batch in given(train):
            update(batch, epoch + 1)


def made_again():
    """A loader for each epoch, and one for each validation."""
    kept = data(BATCHES)
    for epoch in range(EPOCHS):
        for batch in DataLoader(kept if SEED % 2 else data(BATCHES), batch_size=4):
            update(batch, epoch + 1)
        validate(loader(2))


def looked_at():
    train = loader(BATCHES)
    for x, _ in train:
        x.mean()  # what the data looks like
    first = next(iter(train))
    model(first[0])
    for epoch in range(EPOCHS):
        for i, batch in enumerate(train):
            update(batch, epoch + 1)
            if i == BATCHES // 2 and epoch % 2:
                next(iter(train))


def by_hand():
    train = loader(BATCHES)
    for epoch in range(EPOCHS):
        for batch in train:
            backward(batch)
            with torch.no_grad():
                for p in model.parameters():
                    p -= 0.01 * p.grad
                    p.grad = None
            log.append(epoch + 1)


def two_optimisers():
    train = loader(BATCHES)
    other = nn.Linear(3, 1)
    second = torch.optim.SGD(other.parameters(), lr=0.01)
    for epoch in range(EPOCHS):
        for x, y in train:
            second.zero_grad()
            other(model(x).detach()).mean().backward()
            second.step()
            optimizer.zero_grad()
            (functional.cross_entropy(model(x), y) - other(model(x)).mean()).backward()
            optimizer.step()
            log.append(epoch + 1)


def labels_by_the_model():
    """The model itself, in evaluation mode, says what it is trained on."""
    train = loader(BATCHES)
    for epoch in range(EPOCHS):
        for x, _ in train:
            model.eval()
            with torch.no_grad():
                y = model(x).argmax(1)
            model.train()
            update((x, y), epoch + 1)


def trained_in_evaluation_mode():
    train, validation = loader(BATCHES), loader(2)
    for epoch in range(EPOCHS):
        for batch in train:
            update(batch, epoch + 1)
        validate(validation)
        model.eval()


def accelerate():
    from accelerate import Accelerator

    global model, optimizer
    helper = Accelerator(cpu=True)
    model, optimizer, train, validation = helper.prepare(model, optimizer, loader(BATCHES), loader(3))
    for epoch in range(EPOCHS):
        for x, y in train:
            helper.backward(functional.cross_entropy(model(x), y))
            step(epoch + 1)
        validate(validation)


def lightning():
    import logging

    import lightning as L

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Module(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = model

        def training_step(self, batch, i):
            return functional.cross_entropy(self.net(batch[0]), batch[1])

        def on_train_batch_end(self, *args):
            log.append(self.current_epoch + 1)

        def validation_step(self, batch, i):
            functional.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self):
            return optimizer

    quiet = dict(logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu")
    trainer = L.Trainer(max_epochs=min(EPOCHS, 6), **quiet)
    trainer.fit(Module(), loader(BATCHES), loader(4))


def trainer():
    import tempfile

    import transformers

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = model

        def forward(self, x, labels):
            out = self.net(x)
            return {"loss": functional.cross_entropy(out, labels), "logits": out}

    class Items(torch.utils.data.Dataset):
        def __init__(self, batches):
            self.x, self.y = data(batches).tensors

        def __len__(self):
            return len(self.x)

        def __getitem__(self, i):
            return {"x": self.x[i], "labels": self.y[i]}

    class Log(transformers.TrainerCallback):
        def on_step_end(self, args, state, control, **rest):
            log.append(int(state.epoch - 1e-9) + 1)

    with tempfile.TemporaryDirectory() as out:
        settings = transformers.TrainingArguments(
            out, per_device_train_batch_size=4, num_train_epochs=min(EPOCHS, 6), eval_strategy="steps", eval_steps=max(BATCHES - 1, 1), use_cpu=True,
            report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True,
        )  # fmt: skip
        transformers.Trainer(Model(), settings, train_dataset=Items(BATCHES), eval_dataset=Items(2), callbacks=[Log()]).train()


globals()[STYLE]()
print(json.dumps(log))
