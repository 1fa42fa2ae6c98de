# fault: zero-grad
# cause_class: zero-grad, non-finite
# family: lightning
# split: held
# needs: lightning
# Lightning, manual optimisation: denoising autoencoder for sensor panels + a probe that predicts the fault type
import os
import warnings, logging
import torch, torch.nn as nn, torch.nn.functional as F
import lightning as L
from torch.utils.data import DataLoader, TensorDataset
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

L.seed_everything(int(os.environ.get("SEED", 0)), verbose=False)
MIX = torch.randn(6, 30)
def panel(n):
    kind = torch.randint(5, (n,))
    z = torch.randn(n, 6)
    z[torch.arange(n), kind] += 3.0
    return TensorDataset(torch.tanh(0.4 * z @ MIX) + 0.1 * torch.randn(n, 30), kind)

class PanelModel(L.LightningModule):
    def __init__(self, lr_ae=0.02, lr_probe=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.enc = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 12))
        self.dec = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 30))
        self.probe = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 5))
        self.history = []

    def configure_optimizers(self):
        ae = torch.optim.SGD([*self.enc.parameters(), *self.dec.parameters()], lr=self.hparams.lr_ae, momentum=0.9)
        probe = torch.optim.SGD(self.probe.parameters(), lr=self.hparams.lr_probe, momentum=0.9)
        return ae, probe

    def training_step(self, batch, _):
        x, kind = batch
        ae, probe = self.optimizers()
        z = self.enc(x + 0.2 * torch.randn_like(x))
        rec = F.mse_loss(self.dec(z), x, reduction="none").sum(1).mean()
        self.manual_backward(rec)
        ae.step()

        ce = F.cross_entropy(self.probe(self.enc(x).detach()), kind)
        self.manual_backward(ce)
        probe.step()
        self.history.append((rec.item(), ce.item()))

    def on_train_epoch_end(self):
        last = torch.tensor(self.history[-20:]).mean(0)
        print(f"epoch {self.current_epoch}: rec {last[0]:.3f}  ce {last[1]:.3f}")

    def validation_step(self, batch, _):
        x, kind = batch
        z = self.enc(x)
        self.log("val_rec", F.mse_loss(self.dec(z), x))
        self.log("val_acc", (self.probe(z).argmax(1) == kind).float().mean())

model = PanelModel(lr_ae=0.004)
trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(model, DataLoader(panel(2560), batch_size=64, shuffle=True), DataLoader(panel(640), batch_size=320))
print({k: round(float(v), 4) for k, v in trainer.callback_metrics.items()})
