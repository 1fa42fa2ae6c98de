# fault: zero-grad
# cause_class: zero-grad
# family: embedded
# split: held
# bearing fault classifier for the M0 node. Weights get dumped to a C header later,
# therefore no nn.Module, plain tensors only. 16 band energies -> 4 states.
import os
import torch

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)

N_IN, N_HID, N_OUT = 16, 24, 4
LR = 0.05
BATCH = 32
N_STEPS = 900

# ---------- data: band energies in dB around a class profile
profile = torch.randn(N_OUT, N_IN) * 2.0
profile[3] = 0.5 * (profile[1] + profile[2])        # combined damage


def get_batch(n):
    c = torch.randint(0, N_OUT, (n,))
    load = torch.rand(n, 1) * 2 - 1
    x = profile[c] * (1 + 0.3 * load) + 1.5 * torch.randn(n, N_IN)
    return x / 2.0, c


# ---------- weights
w1 = (torch.randn(N_IN, N_HID) / N_IN ** 0.5).requires_grad_()
b1 = torch.zeros(N_HID, requires_grad=True)
w2 = (torch.randn(N_HID, N_OUT) / N_HID ** 0.5).requires_grad_()
b2 = torch.zeros(N_OUT, requires_grad=True)
params = [w1, b1, w2, b2]


def forward(x):
    h = torch.clamp(x @ w1 + b1, min=0.0, max=6.0)      # relu6, same as on the MCU
    return h @ w2 + b2


def accuracy():
    with torch.no_grad():
        x, c = get_batch(1000)
        return (forward(x).argmax(1) == c).float().mean().item()


for step in range(N_STEPS):
    x, c = get_batch(BATCH)
    z = forward(x)
    loss = (z.logsumexp(1) - z[torch.arange(BATCH), c]).mean()
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= LR * p.grad
    if step % 100 == 0:
        print("step %4d  loss %8.4f  acc %.3f" % (step, loss.item(), accuracy()))

print("final acc %.3f" % accuracy())
print("largest weight %.2f (int8 scale)" % max(p.detach().abs().max().item() for p in params))
