"""The callback for the Trainer of Lightning."""

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

from vigil import _guard
from vigil._trainers import Control


class VigilCallback(Control, Callback):
    """See vigil.lightning."""

    last = {}  # name -> what was logged last

    def _new(self, trainer):
        """The metrics that changed since they were logged last."""
        values = {k: float(v) for k, v in trainer.callback_metrics.items() if v.numel() == 1}
        new = {k: v for k, v in values.items() if self.last.get(k) != v}
        self.last = values
        if trainer.is_global_zero:
            self.metrics(new)

    @_guard.guard
    def on_train_start(self, trainer, pl_module):
        if pl_module.automatic_optimization:
            self.ends_at(trainer.estimated_stepping_batches)

    @_guard.guard
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, *args):
        if self.hook.active and (batch_idx + 1) % max(trainer.log_every_n_steps, 1) == 0:
            self._new(trainer)

    @_guard.guard
    def on_validation_start(self, trainer, pl_module):
        self.hook.set_mode("eval")

    @_guard.guard
    def on_validation_end(self, trainer, pl_module):
        if self.hook.active and not trainer.sanity_checking:
            self._new(trainer)
        self.hook.set_mode(None)

    @_guard.guard
    def on_predict_start(self, trainer, pl_module):
        self.hook.set_mode("predict")

    @_guard.guard
    def on_predict_end(self, trainer, pl_module):
        self.hook.set_mode(None)

    @_guard.guard
    def on_fit_end(self, trainer, pl_module):
        self.done()
