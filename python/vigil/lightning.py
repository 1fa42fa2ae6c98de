"""Control over capture from a training by the Trainer of Lightning.

    from vigil.lightning import VigilCallback

    trainer = L.Trainer(max_epochs=3, callbacks=[VigilCallback(name="net")])

Nothing of this is needed under ``vigil run``. The callback starts the agent
where there is none, logs what the module logs (every ``log_every_n_steps``
batches, and after each validation), sets the modes, and ends the capture with a
training that it started.

VigilCallback takes what ``vigil.torch.Hook`` takes, and ``close``: True ends the
capture with the training, False with the process. With ``VIGIL=0`` it does
nothing. ImportError says so where neither lightning nor pytorch_lightning is
installed.
"""

from vigil._trainers import lazily

__all__ = ["VigilCallback"]  # noqa: F822  __getattr__ makes it
__getattr__ = lazily(__name__, ("lightning", "pytorch_lightning"), "vigil._trainers.lightning")
