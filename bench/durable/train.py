"""A training that is going to be killed, with peers attached, that says what each of them had.

Usage: train.py OUT PEER...

Next to the training it writes a line to OUT/side at every step: the step, and for
Vigil and every peer the last step that was logged when the line was written, and
the last that the tool had called safe, -1 for none. What was written there
survives the death of this process. What a tool calls safe is:

    vigil        the agent's watermark: the record is in the store's file
    smdebug      the step's file is closed, which the next step's start does
    tensorboard  flush() has returned, which is called every FLUSH steps
    wandb        it has no word for it

It ends in good order when OUT/stop appears.
"""

import os
import struct
import sys
import time

import torch
from torch import nn

FLUSH = 20
out, peers = sys.argv[1], sys.argv[2:]
side = os.open(os.path.join(out, "side"), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)


def say(*words):
    os.write(side, (" ".join(str(w) for w in words) + "\n").encode())


class Vigil:
    """Captures without a line in the script; here it is only asked how far its watermark is."""

    def __init__(self, model, criterion):
        self.heads = []
        self.safe = -1

    def log(self, step, loss):
        session = sys.modules.get("vigil._session")
        current = session and session._current
        head = acknowledged = 0
        if current and current.ring:
            header = os.pread(current.ring.fd, 512, 0)
            head, acknowledged = struct.unpack_from("<Q", header, 128)[0], struct.unpack_from("<Q", header, 264)[0]
        # A step closes in the optimiser's step: its records lie before the head that is seen here.
        self.heads.append(head)
        while self.safe + 1 < step and 0 < self.heads[self.safe + 1] <= acknowledged:
            self.safe += 1

    def close(self):
        pass


class Wandb:
    safe = -1

    def __init__(self, model, criterion):
        import wandb

        self.run = wandb.init(project="durable", mode="offline", dir=out, settings=wandb.Settings(silent=True, console="off"))
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % pid) as f:
                    name, _, rest = f.read().partition("(")[2].rpartition(")")
            except OSError:
                continue
            if name.startswith("wandb-core") and int(rest.split()[1]) == os.getpid():
                say("helper", "wandb", pid)

    def log(self, step, loss):
        self.run.log({"loss": loss, "at": step})

    def close(self):
        self.run.finish()


class TensorBoard:
    def __init__(self, model, criterion):
        from torch.utils.tensorboard import SummaryWriter

        self.safe, self.writer = -1, SummaryWriter(os.path.join(out, "tensorboard"))

    def log(self, step, loss):
        self.writer.add_scalar("loss", loss, step)
        if (step + 1) % FLUSH == 0:
            self.writer.flush()
            self.safe = step

    def close(self):
        self.writer.close()


class Smdebug:
    def __init__(self, model, criterion):
        import smdebug.pytorch as smd

        self.safe, self.hook = -1, smd.Hook(out_dir=os.path.join(out, "smdebug"), save_config=smd.SaveConfig(save_interval=1))
        self.hook.register_module(model)
        self.hook.register_loss(criterion)

    def log(self, step, loss):
        self.safe = step - 1

    def close(self):
        self.hook.close()


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
criterion = nn.CrossEntropyLoss()
tools = {"vigil": Vigil, "wandb": Wandb, "tensorboard": TensorBoard, "smdebug": Smdebug}
attached = {name: tools[name](model, criterion) for name in ["vigil"] + peers}
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
failed = set()
say("pid", os.getpid())
step = 0
while not os.path.exists(os.path.join(out, "stop")):
    x = torch.randn(32, 16)
    optimiser.zero_grad()
    loss = criterion(model(x), x[:, :4].argmax(1))
    loss.backward()
    optimiser.step()
    words = []
    for name, tool in attached.items():
        try:
            tool.log(step, loss.item())
            words += [name, step, tool.safe]
        except Exception as error:  # a tool that raises into the training ends it: said, and the others go on
            if name not in failed:
                failed.add(name)
                say("raised", name, type(error).__name__)
    say("step", step, *words)
    step += 1
    time.sleep(0.005)
for name, tool in attached.items():
    try:
        tool.close()
    except Exception as error:
        if name not in failed:
            say("raised", name, type(error).__name__)
say("end")
