"""Trainings by the Trainer of Lightning."""

import logging
import tempfile

import lightning as L
import torch
from common import clouds, each
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

for name in ("lightning.pytorch", "lightning.fabric", "lightning"):
    logging.getLogger(name).setLevel(logging.ERROR)


def fit(model, steps, validate=False, callbacks=(), batch=16, **options):
    """Train; the model's own account of it."""
    L.seed_everything(0)
    data = TensorDataset(*clouds(480, 10, 3))
    held_out = DataLoader(TensorDataset(*clouds(64, 10, 3)), batch_size=16) if validate else None
    with tempfile.TemporaryDirectory() as where:
        trainer = L.Trainer(max_steps=steps, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                            enable_model_summary=False, default_root_dir=where, callbacks=list(callbacks), **options)  # fmt: skip
        trainer.fit(model, DataLoader(data, batch_size=batch, shuffle=True), held_out)
    return model, dict(model.said, steps=trainer.global_step)


class Classifier(L.LightningModule):
    def __init__(self, accumulate=1):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3))
        self.said = {"losses": [], "eval": []}
        self.accumulate = accumulate
        self.parts = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, i):
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log("train_loss", loss)
        self.parts.append(loss.item())
        if len(self.parts) == self.accumulate:
            self.said["losses"].append(sum(self.parts) / len(self.parts))
            self.parts = []
        return loss

    def validation_step(self, batch, i):
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log("val_loss", loss)
        if not self.trainer.sanity_checking:
            self.said["eval"].append(loss.item())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


def automatic():
    return fit(Classifier(), 20, validate=True, val_check_interval=10)


def accumulated():
    return fit(Classifier(4), 10, accumulate_grad_batches=4, batch=8)


def clipped():
    return fit(Classifier(), 20, gradient_clip_val=0.5)


class Inner(L.LightningModule):
    """The module never calls itself: its network is what is called, and its loss is a module."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 24), nn.Tanh(), nn.Linear(24, 3))
        self.criterion = nn.CrossEntropyLoss()
        self.said = {"losses": [], "eval": []}

    def training_step(self, batch, i):
        loss = self.criterion(self.net(batch[0]), batch[1])
        self.said["losses"].append(loss.item())
        return {"loss": loss, "extra": 1}

    def validation_step(self, batch, i):
        self.said["eval"].append(self.criterion(self.net(batch[0]), batch[1]).item())

    def configure_optimizers(self):
        optimiser = torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)
        return {"optimizer": optimiser, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimiser, 5)}


def inner():
    return fit(Inner(), 20, validate=True, val_check_interval=20, num_sanity_val_steps=0)


class Pair(L.LightningModule):
    """Manual optimisation: an adversarial pair, two optimisers."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 10))
        self.critic = nn.Sequential(nn.Linear(10, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
        self.said = {"losses": [], "losses/1": []}

    def training_step(self, batch, i):
        g, c = self.optimizers()
        real = batch[0]
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        fake = self.generator(torch.randn(len(real), 4))
        loss = (F.binary_cross_entropy_with_logits(self.critic(real), ones) + F.binary_cross_entropy_with_logits(self.critic(fake.detach()), zeros)) / 2
        c.zero_grad()
        self.manual_backward(loss)
        c.step()
        self.said["losses"].append(loss.item() * 2)  # a half of the sum is a constant factor
        loss = F.binary_cross_entropy_with_logits(self.critic(fake), ones)
        g.zero_grad()
        self.manual_backward(loss)
        g.step()
        self.said["losses/1"].append(loss.item())

    def configure_optimizers(self):
        return [torch.optim.Adam(self.generator.parameters(), lr=1e-3), torch.optim.Adam(self.critic.parameters(), lr=1e-3)]


def manual():
    return fit(Pair(), 40)


class Predicting(Classifier):
    def predict_step(self, batch, i):
        return self(batch)


def called():
    """With the callback, which stays for what comes after the training."""
    from vigil.lightning import VigilCallback

    callback = VigilCallback(close=False)
    model, said = fit(Predicting(), 20, validate=True, callbacks=[callback], val_check_interval=10, log_every_n_steps=5)
    trainer = L.Trainer(accelerator="cpu", logger=False, enable_progress_bar=False, callbacks=[callback])
    trainer.predict(model, DataLoader(clouds(48, 10, 3)[0], batch_size=16))
    return model, said


def fabric():
    """A loop of the script's own, with Fabric around model and optimiser; its name for the module must not show."""
    L.seed_everything(0)
    fabric = L.Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    inner = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3))
    model, optimiser = fabric.setup(inner, torch.optim.Adam(inner.parameters(), lr=1e-2))
    losses = []
    for x, y in DataLoader(TensorDataset(*clouds(320, 10, 3)), batch_size=16):
        optimiser.zero_grad()
        loss = F.cross_entropy(model(x), y)
        fabric.backward(loss)
        optimiser.step()
        losses.append(loss.item())
    return inner, {"losses": losses, "steps": len(losses)}


if __name__ == "__main__":
    each(globals())
