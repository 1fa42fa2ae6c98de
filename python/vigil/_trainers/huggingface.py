"""The callback for the Trainer of Hugging Face."""

from transformers import TrainerCallback

from vigil import _guard
from vigil._trainers import Control


class VigilCallback(Control, TrainerCallback):
    """See vigil.huggingface."""

    @_guard.guard
    def on_train_begin(self, args, state, control, **kwargs):
        self.ends_at(state.max_steps)

    @_guard.guard
    def on_log(self, args, state, control, logs=None, **kwargs):
        if state.is_world_process_zero and logs:
            self.metrics(logs)

    @_guard.guard
    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        losses = [v for k, v in (metrics or {}).items() if k.endswith("_loss")]
        self.evaluated(losses[0] if losses else None)

    @_guard.guard
    def on_train_end(self, args, state, control, **kwargs):
        self.done()
