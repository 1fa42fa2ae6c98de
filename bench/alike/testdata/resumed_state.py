"""A regression whose model, optimiser and schedule are saved with the state of the random numbers, read again, and trained on; the schedule is pickled whole, too."""

import pickle

import torch
from torch import nn


def made():
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    return model, optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=40)


def train(model, optimizer, scheduler, steps):
    for _ in range(steps):
        x = torch.randn(16, 6)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True).sin())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
    print("loss %.7f rate %.7f" % (loss.item(), scheduler.get_last_lr()[0]))


torch.manual_seed(2)
model, optimizer, scheduler = made()
train(model, optimizer, scheduler, 17)
state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict(), "random": torch.get_rng_state()}
torch.save(state, "state.pt")
with open("schedule.pickle", "wb") as file:
    pickle.dump(torch.optim.lr_scheduler.StepLR(torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1), 3).state_dict(), file)
torch.save({"optimizer": optimizer, "scheduler": scheduler}, "objects.pt")

model, optimizer, scheduler = made()
state = torch.load("state.pt", weights_only=True)
model.load_state_dict(state["model"])
optimizer.load_state_dict(state["optimizer"])
scheduler.load_state_dict(state["scheduler"])
torch.set_rng_state(state["random"])
train(model, optimizer, scheduler, 20)
torch.save(model.state_dict(), "end.pt")
