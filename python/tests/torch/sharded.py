"""Two gloo ranks whose parameters are divided between them: sharded.py fsdp|tensor|flat. The second rank is forked off.

With VIGIL_E2E_OUT set, each rank leaves a digest of its own parts.
"""

import atexit
import hashlib
import os
import sys
import tempfile

done = []


@atexit.register  # before PyTorch is imported, and so called last
def end():
    """At its end PyTorch 2.15 sometimes aborts a process that used gloo, with or without Vigil: leave that out."""
    if done:
        sys.stdout.flush()
        os._exit(done[0])


import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

STEPS = 12


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.act, self.down = nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)

    def forward(self, x):
        return self.down(self.act(self.up(x)))


torch.manual_seed(0)
with tempfile.NamedTemporaryFile(delete=False) as f:
    meeting = f.name
os.unlink(meeting)
other = os.fork()
# After the fork: the first use of PyTorch's pool of threads makes it again there, and two threads that do so at once end the process.
torch.set_num_threads(1)
os.environ.update(RANK="0" if other else "1", LOCAL_RANK="0" if other else "1", WORLD_SIZE="2")
dist.init_process_group("gloo", init_method="file://" + meeting, rank=0 if other else 1, world_size=2)
rank, world = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (world,))
model = Net()
if sys.argv[1] == "flat":
    model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
elif sys.argv[1] == "fsdp":
    for part in (model.up, model.down, model):
        fully_shard(part, mesh=mesh)
else:
    parallelize_module(model, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
batches = torch.Generator().manual_seed(0 if sys.argv[1] == "tensor" else rank)
for _ in range(STEPS):
    x, y = torch.randn(16, 6, generator=batches), torch.randint(3, (16,), generator=batches)
    optimiser.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimiser.step()
print("rank %d loss %.6f" % (rank, loss.item()), flush=True)
h = hashlib.sha256()
for p in model.parameters():
    part = p if sys.argv[1] == "flat" else p.to_local()
    h.update(part.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
if os.environ.get("VIGIL_E2E_OUT"):
    with open("%s-%d" % (os.environ["VIGIL_E2E_OUT"], rank), "w") as f:
        f.write(h.hexdigest())
# Taking the group down may wait for ever on a busy machine: both end without it.
done.append(1 if other and os.waitpid(other, 0)[1] else 0)
