"""How many samples the loss of an evaluation step is of, by what a loss module is called with."""

import torch
from torch import nn

from vigil._torch import losses

LOGITS, CLASSES = torch.zeros(7, 3), torch.zeros(7, dtype=torch.long)


def test_samples_of_a_loss():
    for module, args, kwargs, want in (
        (nn.CrossEntropyLoss(), (LOGITS, CLASSES), {}, 7),
        (nn.CrossEntropyLoss(), (LOGITS,), {"target": CLASSES}, 7),
        (nn.CrossEntropyLoss(), (), {"input": LOGITS, "target": CLASSES}, 7),
        (nn.CrossEntropyLoss(), (torch.zeros(3), torch.tensor(1)), {}, 1),
        (nn.MSELoss(), (torch.zeros(5, 2), torch.zeros(5, 2)), {}, 5),
        (nn.BCELoss(), (torch.tensor(0.5), torch.tensor(1.0)), {}, 1),
        (nn.CTCLoss(), (torch.zeros(20, 4, 6), torch.ones(4, 3), torch.full((4,), 20), torch.full((4,), 3)), {}, 4),
        (nn.CTCLoss(), (torch.zeros(20, 4, 6), torch.ones(12), torch.full((4,), 20), torch.full((4,), 3)), {}, 4),
        (nn.TripletMarginLoss(), (torch.zeros(6, 2), torch.zeros(6, 2), torch.zeros(6, 2)), {}, 6),
        (nn.Module(), (torch.zeros(9, 2),), {}, 9),
        (nn.Module(), (torch.zeros(9, 2), 0.5), {}, 9),
        (nn.Module(), (), {}, None),
        (nn.Module(), ("a", None), {}, None),
        (nn.Module(), (torch.tensor(1.0),), {}, None),
    ):
        assert losses._samples_of(module, args, kwargs) == want, (module, args, kwargs)


def test_samples_of_a_loss_that_a_model_returns():
    loss = torch.tensor(1.0)
    for args, output, want in (
        ((torch.zeros(4, 2), torch.zeros(4)), loss, 4),
        ((), {"loss": loss, "logits": torch.zeros(3, 5)}, 3),
        ((), (loss, torch.zeros(3, 5)), 3),
        ((), loss, None),
        ((1, "a"), {"loss": loss}, None),
    ):
        assert losses.samples_returned(args, output) == want, (args, output)
