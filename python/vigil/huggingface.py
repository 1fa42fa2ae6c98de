"""Control over capture from a training by the Trainer of Hugging Face.

    from vigil.huggingface import VigilCallback

    trainer = Trainer(model, args, train_dataset=..., callbacks=[VigilCallback(name="bert")])

Nothing of this is needed under ``vigil run``. The callback starts the agent
where there is none, logs what the Trainer logs (``eval_loss``, ``grad_norm``,
``learning_rate``, ...), gives the loss of an evaluation that shows none, and
ends the capture with a training that it started.

VigilCallback takes what ``vigil.torch.Hook`` takes, and ``close``: True ends the
capture with the training, False with the process. With ``VIGIL=0`` it does
nothing. ImportError says so where transformers is not installed.
"""

from vigil._trainers import lazily

__all__ = ["VigilCallback"]  # noqa: F822  __getattr__ makes it
__getattr__ = lazily(__name__, ("transformers",), "vigil._trainers.huggingface")
