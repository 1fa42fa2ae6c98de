"""Small trainings on sequences: steps one after the other, and tokens that are filled up to one length."""

import torch
import torch.nn.functional as F
from small_registry import STEPS, case, train
from torch import nn


def stepwise(between, last):
    """A cell that is called for each step of a sequence. between: what is done to the state; last: the loss gets the last output only."""
    torch.manual_seed(0)

    class Steps(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.out = nn.LSTMCell(2, 8), nn.Linear(8, 3)

        def forward(self, x):
            state, outs = None, []
            for t in range(5):
                state = self.cell(x[:, t], state) if state is None else self.cell(x[:, t], between(t, state))
                outs.append(self.out(state[0]))
            return outs[-1] if last else torch.stack(outs).mean(0)

    train(Steps(), nn.CrossEntropyLoss(), ((torch.randn(8, 5, 2), torch.randint(3, (8,))) for _ in range(STEPS)))


@case
def state_cut_and_last_used():
    stepwise(lambda t, state: tuple(s.detach() for s in state), True)


@case
def state_cut_and_all_used():
    stepwise(lambda t, state: tuple(s.detach().clone() for s in state), False)


@case
def state_cut_once():
    stepwise(lambda t, state: tuple(s.detach() for s in state) if t == 3 else state, False)


@case
def acts_and_learns():
    """Steps whose state is cut off, and that the loss does not depend on; then a sequence."""
    model = Reader()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        state = None
        for _ in range(5):
            _, state = model(torch.randn(1, 1, 2), state)
            state = state.detach()
        optimiser.zero_grad()
        model(torch.randn(4, 5, 2))[0].pow(2).mean().backward()
        optimiser.step()


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 8, batch_first=True)

    def forward(self, x, state=None):
        return self.rnn(x, state)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(14, 16)
        self.out = nn.Linear(16, 14)

    def forward(self, input_ids, attention_mask):
        return self.out(self.words(input_ids) * attention_mask.unsqueeze(-1))


@case
def end_as_padding(pad=1):
    """Sequences of a mask, whose padding token, which the loss ignores, is also their end."""
    model = Words()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    places = torch.arange(20)
    for _ in range(12):
        lengths = torch.randint(4, 19, (16, 1))
        rows = torch.randint(2, 14, (16, 20))
        rows.masked_fill_(places == lengths, 1).masked_fill_(places > lengths, pad)
        labels = rows.masked_fill(rows == pad, -100)
        logits = model(input_ids=rows, attention_mask=(places <= lengths).long())
        loss = F.cross_entropy(logits[:, :-1].reshape(-1, 14), labels[:, 1:].reshape(-1))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


@case
def end_beside_padding():
    """The same with a padding token of its own."""
    end_as_padding(pad=0)
