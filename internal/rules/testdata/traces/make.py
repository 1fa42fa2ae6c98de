"""Makes the traces that the default set is tested on: short trainings with
PyTorch, healthy ones and ones with a planted fault, recorded as what the rules
of the default set read. Run it with a Python that has torch; it writes one
gzipped JSON file per training next to itself. Names on the command line make
only those."""
import gzip
import json
import math
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
EVERY = 10  # statistics
PAIRS = 50  # pairs and units
FAR = 200  # pairs further apart
WINDOW = 4


def digits(x):
    return float("%.5g" % x) if math.isfinite(x) else str(x).replace("nan", "NaN").replace("inf", "Inf")


def stats(t):
    t = t.detach().double().flatten()
    ok = t[torch.isfinite(t)]
    n = ok.numel()
    mean = ok.mean().item() if n else 0.0
    return [t.numel(), int((t == 0).sum()), int(torch.isnan(t).sum()), int((t == math.inf).sum()), int((t == -math.inf).sum()),
            digits(ok.min().item() if n else 0.0), digits(ok.max().item() if n else 0.0), digits(mean),
            digits(((ok - mean) ** 2).sum().item()), digits(ok.abs().sum().item())]


class Recorder:
    def __init__(self, *models):
        self.params, self.tensors, self.steps, self.old, self.far, self.units, self.window = [], [], [], {}, {}, {}, {}
        self.n = -1
        for m in models:
            types = {name: type(sub).__name__ for name, sub in m.named_modules()}
            for name, p in m.named_parameters():
                full = type(m).__name__ + "_" + name
                info = {"name": full, "kind": "bias" if "bias" in name else "weight", "shape": list(p.shape), "order": len(self.tensors),
                        "frozen": not p.requires_grad, "module_type": types[name.rpartition(".")[0]]}
                self.tensors.append(info)
                if p.requires_grad:
                    self.tensors.append(dict(info, name="gradient/" + full, kind="gradient"))
                self.params.append((full, p))
            for name, sub in m.named_modules():
                if type(sub).__name__ in ("ReLU", "ReLU6"):
                    out = name + "_output_0"
                    self.tensors.append({"name": out, "kind": "output", "shape": [1, 1], "order": len(self.tensors), "frozen": False, "module_type": type(sub).__name__})
                    sub.register_forward_hook(lambda mod, i, o, out=out: self.relu(out, o))

    def relu(self, name, out):
        if (self.n + 1) % PAIRS or not torch.is_grad_enabled():
            return
        o = out.detach()
        if o.dim() < 2:
            return
        o = o.transpose(0, 1).flatten(1) if o.dim() >= 3 else o.t()
        w = self.window.setdefault(name, [])
        w.append(((o > 0).sum(1), o.shape[1]))
        del w[:-WINDOW]
        samples = sum(s for _, s in w)
        active = sum(a for a, _ in w)
        self.units[name] = [len(active), int((100.0 * active / samples < 0.1).sum()), samples, 0]

    def before(self):
        """Called before the optimiser steps: what the update is made from."""
        self.n += 1
        self.now = {"s": self.n}
        if self.n % EVERY == 0:
            self.now["stats"] = {n: stats(p) for n, p in self.params}
            self.now["stats"].update({"gradient/" + n: stats(p.grad) for n, p in self.params if p.grad is not None})
        if self.n % PAIRS == 0:
            pairs, far = {}, {}
            for n, p in self.params:
                new = p.detach().double().clone()
                if n in self.old:
                    pairs[n] = [self.n - PAIRS, digits((new - self.old[n]).abs().mean().item()), digits(self.old[n].abs().mean().item())]
                self.old[n] = new
                if self.n % FAR == 0:
                    if n in self.far:
                        far[n] = [self.n - FAR, digits((new - self.far[n]).abs().mean().item()), digits(self.far[n].abs().mean().item())]
                    self.far[n] = new
            if far:
                self.now["far"] = far
            self.now["pairs"], self.now["units"] = pairs, self.units
            self.units = {}

    def after(self, skipped=False, **losses):
        self.now["loss"] = {k: digits(v.item()) for k, v in losses.items()}
        if skipped:
            self.now["skipped"] = True
        self.steps.append(self.now)

    def write(self, name, fault):
        names = sorted({k for s in self.steps for k in s["loss"]})
        tensors = [{"name": k, "kind": "loss", "order": 0, "frozen": False, "module_type": "", "shape": []} for k in names] + self.tensors
        with gzip.GzipFile(os.path.join(HERE, name + ".json.gz"), "wb", mtime=0) as f:
            f.write(json.dumps({"fault": fault, "tensors": tensors, "steps": self.steps}, separators=(",", ":")).encode())


def data(n=2048, d=32, classes=10, noise=0.0):
    g = torch.Generator().manual_seed(1)
    centres = torch.randn(classes, d, generator=g)
    y = torch.randint(classes, (n,), generator=g)
    return centres[y] + 0.7 * torch.randn(n, d, generator=g), y


class Net(nn.Sequential):
    pass


def mlp(depth=3, width=64, act=nn.ReLU, d=32, out=10):
    layers = [nn.Linear(d, width), act()]
    for _ in range(depth - 2):
        layers += [nn.Linear(width, width), act()]
    return Net(*layers, nn.Linear(width, out))


def train(name, fault, model, opt, steps=400, batch=64, loss=F.cross_entropy, xy=None, schedule=None, shuffle=True, clip=None, rec=None):
    x, y = xy if xy is not None else data()
    rec = rec or Recorder(model)
    for n in range(steps):
        if batch >= len(x):
            xb, yb = x, y
        else:
            i = torch.randint(len(x), (batch,)) if shuffle else (torch.arange(batch) + n * batch) % len(x)
            xb, yb = x[i], y[i]
        if schedule:
            for g in opt.param_groups:
                g["lr"] = schedule(n)
        opt.zero_grad()
        l = loss(model(xb), yb)
        l.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        rec.before()
        opt.step()
        rec.after(loss=l)
    rec.write(name, fault)
    return model


ALL = {}


def trace(f):
    ALL[f.__name__] = f
    return f


def simple(name, fault, make, opt, **kw):
    def run():
        m = make()
        train(name, fault, m, opt([p for p in m.parameters() if p.requires_grad]), **kw)
    ALL[name] = run


def SGD(lr, **kw):
    return lambda p: torch.optim.SGD(p, lr, **kw)


def Adam(lr, **kw):
    return lambda p: torch.optim.Adam(p, lr, **kw)


def scaled(std, **kw):
    def make():
        m = mlp(**kw)
        for p in m.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=std)
        return m
    return make


def xavier(make):
    def f():
        m = make()
        for p in m.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        return m
    return f


def kaiming(make):
    def f():
        m = make()
        for p in m.parameters():
            if p.dim() > 1:
                nn.init.kaiming_normal_(p)
        return m
    return f


# Healthy trainings.
simple("healthy_sgd", "", mlp, SGD(0.1))
simple("healthy_adam", "", mlp, Adam(1e-3))
simple("healthy_sgd_slow", "", mlp, SGD(1e-2))
simple("healthy_sgd_slower", "", mlp, SGD(1e-3), steps=800)
simple("healthy_adam_tiny", "", mlp, Adam(1e-5))
simple("healthy_adam_large", "", mlp, Adam(2e-2))
simple("healthy_momentum", "", mlp, SGD(0.05, momentum=0.9))
simple("healthy_batch_one", "", mlp, SGD(1e-2), batch=1, steps=800)
simple("healthy_full_batch", "", mlp, SGD(0.1), batch=99999)
simple("healthy_converged", "", mlp, Adam(1e-3), xy=tuple(t[:64] for t in data()), batch=99999, steps=1500)
simple("healthy_deep_relu", "", kaiming(lambda: mlp(depth=12)), Adam(1e-3))
simple("healthy_sigmoid_three", "", lambda: mlp(act=nn.Sigmoid), Adam(1e-3))
simple("healthy_tanh_deep", "", xavier(lambda: mlp(depth=8, act=nn.Tanh)), SGD(0.05))
simple("healthy_small_init", "", scaled(1e-3), Adam(1e-3))
simple("healthy_small_init_sgd", "", scaled(1e-2), SGD(0.1), steps=1000)
simple("healthy_warmup", "", mlp, SGD(0.1), schedule=lambda n: 0.1 * n / 1000, steps=600)
simple("healthy_warmup_adam", "", mlp, Adam(1e-3), schedule=lambda n: 1e-3 * n / 4000, steps=600)
simple("healthy_cosine_end", "", mlp, SGD(0.1), schedule=lambda n: 0.05 * (1 + math.cos(math.pi * min(n, 500) / 500)), steps=800)
simple("healthy_noise_floor", "", lambda: mlp(out=1), Adam(1e-3), loss=lambda p, y: F.mse_loss(p[:, 0], y), xy=(data()[0], torch.randn(2048)), steps=600)
simple("healthy_weight_decay", "", mlp, Adam(1e-3, weight_decay=1e-2))


@trace
def healthy_early_plateau():
    g = torch.Generator().manual_seed(3)
    x = torch.randint(0, 2, (4096, 6), generator=g).float() * 2 - 1
    y = (x[:, :4].prod(1) > 0).long()
    m = mlp(depth=3, d=6, out=2)
    train("healthy_early_plateau", "", m, torch.optim.SGD(m.parameters(), 0.05), steps=1500, xy=(x, y))


@trace
def healthy_finetune():
    m = mlp()
    o = torch.optim.Adam(m.parameters(), 1e-3)
    x, y = data()
    for _ in range(800):
        i = torch.randint(len(x), (64,))
        o.zero_grad()
        F.cross_entropy(m(x[i]), y[i]).backward()
        o.step()
    train("healthy_finetune", "", m, torch.optim.Adam(m.parameters(), 1e-5), steps=500)


def converged(make=mlp, lr=1e-3):
    m = make()
    o = torch.optim.Adam(m.parameters(), lr)
    x, y = data()
    for _ in range(1500):
        i = torch.randint(len(x), (64,))
        o.zero_grad()
        F.cross_entropy(m(x[i]), y[i]).backward()
        o.step()
    return m


simple("healthy_resume_sgd", "", converged, SGD(1e-4))
simple("healthy_resume_sgd_tiny", "", converged, SGD(1e-5))
simple("healthy_resume_adam", "", converged, Adam(1e-6))
simple("healthy_resume_adam_tiny", "", converged, Adam(1e-8))


def floor():
    """A model that has learnt what can be learnt from noisy labels."""
    m = mlp()
    o = torch.optim.SGD(m.parameters(), 0.05)
    x, y = noisy()
    for n in range(3000):
        for g in o.param_groups:
            g["lr"] = 0.05 * (1 - n / 3000)
        i = torch.randint(len(x), (64,))
        o.zero_grad()
        F.cross_entropy(m(x[i]), y[i]).backward()
        o.step()
    return m


def noisy():
    x, y = data(20000)
    g = torch.Generator().manual_seed(9)
    return x, torch.where(torch.rand(20000, generator=g) < 0.5, torch.randint(10, (20000,), generator=g), y)


simple("healthy_resume_floor", "", floor, SGD(1e-5), xy=noisy())
simple("healthy_resume_floor_adam", "", floor, Adam(1e-8), xy=noisy())
simple("healthy_wide_adam", "", lambda: mlp(width=512), Adam(1e-2), steps=400)
simple("healthy_wide_sgd", "", lambda: mlp(width=512, depth=4), SGD(0.2), steps=400)
simple("healthy_regression", "", lambda: mlp(out=1), Adam(1e-2), loss=lambda p, y: F.mse_loss(p[:, 0], y), xy=(data()[0], 100 + 30 * data()[0][:, 0]), steps=500)
simple("healthy_autoencoder", "", lambda: Net(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 4), nn.ReLU(), nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 32)), Adam(1e-3),
       loss=lambda p, y: F.mse_loss(p, y), xy=(data()[0], data()[0]))
simple("healthy_label_noise", "", mlp, SGD(0.05), xy=(data()[0], torch.where(torch.rand(2048, generator=torch.Generator().manual_seed(9)) < 0.7, torch.randint(10, (2048,), generator=torch.Generator().manual_seed(5)), data()[1])))
simple("healthy_random_labels", "", mlp, SGD(0.05), xy=(torch.randn(100000, 32), torch.randint(10, (100000,))))
simple("healthy_random_labels_deep", "", kaiming(lambda: mlp(depth=10)), SGD(0.01), xy=(torch.randn(100000, 32), torch.randint(10, (100000,))))
simple("healthy_sigmoid_four", "", xavier(lambda: mlp(depth=4, act=nn.Sigmoid)), SGD(0.1), steps=600)
simple("healthy_sigmoid_five_adam", "", xavier(lambda: mlp(depth=5, act=nn.Sigmoid)), Adam(1e-3), steps=600)
simple("healthy_catapult", "", mlp, SGD(0.8), steps=400)
simple("healthy_hinge_zero", "", mlp, SGD(0.1), loss=F.multi_margin_loss, steps=600)
simple("healthy_batch_two_adam", "", mlp, Adam(1e-3), batch=2, steps=600)


@trace
def healthy_frozen():
    m = mlp(depth=5)
    for p in list(m.parameters())[:6]:
        p.requires_grad_(False)
    train("healthy_frozen", "", m, torch.optim.SGD([p for p in m.parameters() if p.requires_grad], 0.05))


@trace
def healthy_head_only():
    m = mlp(depth=5)
    train("healthy_head_only", "", m, torch.optim.SGD(list(m.parameters())[-2:], 0.05))


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.BatchNorm2d(16), nn.ReLU(),
                                  nn.Conv2d(16, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        return self.head(self.body(x))


def images():
    x, y = data(1024, 144)
    return x.view(-1, 1, 12, 12), y


simple("healthy_conv", "", Conv, SGD(0.05, momentum=0.9), xy=images(), steps=300)
simple("healthy_conv_adam", "", Conv, Adam(1e-2), xy=images(), steps=300)


class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5000, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x)).mean(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5000, 32)
        self.lstm = nn.LSTM(32, 32, 2, batch_first=True)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        return self.head(self.lstm(self.embed(x))[0][:, -1])


def words():
    g = torch.Generator().manual_seed(2)
    x = torch.randint(5000, (1024, 16), generator=g)
    return x, x[:, 0] % 10


simple("healthy_transformer", "", Text, Adam(1e-3), xy=words(), batch=16, steps=300)
simple("healthy_transformer_warmup", "", Text, Adam(1e-3), xy=words(), batch=8, steps=300, schedule=lambda n: 1e-3 * n / 2000, clip=1.0)
simple("healthy_lstm", "", Recurrent, Adam(1e-3), xy=words(), batch=16, steps=300)
simple("healthy_lstm_sgd", "", Recurrent, SGD(0.1), xy=words(), batch=16, steps=300)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(32, 64)
        self.a = nn.ModuleList(nn.Linear(64, 64) for _ in range(8))
        self.b = nn.ModuleList(nn.Linear(64, 64) for _ in range(8))
        for l in self.b:
            nn.init.zeros_(l.weight)
        self.out = nn.Linear(64, 10)

    def forward(self, x):
        x = self.inp(x)
        for a, b in zip(self.a, self.b):
            x = x + b(F.relu(a(x)))
        return self.out(x)


simple("healthy_zero_residual", "", Residual, SGD(0.05))


class Generator(nn.Sequential):
    pass


class Discriminator(nn.Sequential):
    pass


@trace
def healthy_gan():
    g = Generator(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    d = Discriminator(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
    og, od = torch.optim.Adam(g.parameters(), 1e-3), torch.optim.Adam(d.parameters(), 1e-3)
    rec = Recorder(g, d)
    bce = F.binary_cross_entropy_with_logits
    for _ in range(600):
        angle = torch.rand(64) * 2 * math.pi
        real = torch.stack([angle.cos(), angle.sin()], 1) * 2
        fake = g(torch.randn(64, 8))
        od.zero_grad()
        ld = bce(d(real), torch.ones(64, 1)) + bce(d(fake.detach()), torch.zeros(64, 1))
        ld.backward()
        keep = [p.grad.clone() for p in d.parameters()]
        od.step()
        og.zero_grad()
        lg = bce(d(fake), torch.ones(64, 1))
        lg.backward()
        for p, k in zip(d.parameters(), keep):
            p.grad = k
        rec.before()
        og.step()
        rec.after(loss=ld, loss_1=lg)
    rec.write("healthy_gan", "")


@trace
def healthy_overflows():
    """Loss scaling with overflows, as GradScaler handles them."""
    m = mlp()
    o, rec, scale = torch.optim.SGD(m.parameters(), 0.1), Recorder(m), 2.0 ** 120
    x, y = data()
    for _ in range(300):
        i = torch.randint(len(x), (64,))
        o.zero_grad()
        l = F.cross_entropy(m(x[i]), y[i])
        (l * scale * 1e4).backward()
        for p in m.parameters():
            p.grad = p.grad / scale / 1e4
        bad = any(not torch.isfinite(p.grad).all() for p in m.parameters())
        rec.before()
        if bad:
            scale /= 2
        else:
            o.step()
        rec.after(skipped=bad, loss=l)
    rec.write("healthy_overflows", "")


# Planted faults.
for depth, init in ((8, "default"), (10, "default"), (20, "default"), (10, "xavier"), (16, "xavier")):
    for oname, o in (("sgd", SGD(0.1)), ("sgd_small", SGD(0.01)), ("adam", Adam(1e-4))):
        make = lambda depth=depth: mlp(depth=depth, act=nn.Sigmoid)
        simple("vanishing_%d_%s_%s" % (depth, init, oname), "vanishing", xavier(make) if init == "xavier" else make, o, steps=300)
simple("exploding_sgd_10", "exploding", mlp, SGD(10.0), steps=300)
simple("exploding_sgd_100", "exploding", mlp, SGD(100.0), steps=300)
simple("exploding_momentum", "exploding", mlp, SGD(5.0, momentum=0.9), steps=300)
simple("exploding_momentum_dead", "exploding", mlp, SGD(0.5, momentum=0.9), steps=400)
simple("exploding_adam", "exploding", mlp, Adam(3.0), steps=300)
simple("exploding_mse", "exploding", lambda: mlp(out=1), SGD(2.0), loss=lambda p, y: F.mse_loss(p[:, 0], y.float()), steps=300)
simple("exploding_conv", "exploding", Conv, SGD(1e4), xy=images(), steps=300)
simple("plateau_zero", "plateau", mlp, SGD(0.0), steps=300)
simple("plateau_1e-9", "plateau", mlp, SGD(1e-9), steps=300)
simple("plateau_1e-7", "plateau", mlp, SGD(1e-7), steps=300)
simple("plateau_1e-6", "plateau", mlp, SGD(1e-6), steps=300)
simple("plateau_adam_1e-9", "plateau", mlp, Adam(1e-9), steps=300)
simple("plateau_full_batch", "plateau", mlp, SGD(1e-7), batch=99999, steps=300)
simple("plateau_conv", "plateau", Conv, SGD(1e-8), xy=images(), steps=300)
simple("slow_sgd_1e-4", "slow", mlp, SGD(1e-4), steps=600)
simple("slow_sgd_1e-5", "slow", mlp, SGD(1e-5), steps=600)


def negative(bias=-10.0, layer=2, **kw):
    def f():
        m = mlp(depth=4, **kw)
        nn.init.constant_(m[layer].bias, bias)
        return m
    return f


simple("dead_bias", "dead", negative(), SGD(0.05), steps=300)
simple("dead_bias_first", "dead", negative(layer=0, bias=-30.0), Adam(1e-3), steps=300)
simple("dead_bias_five", "dead", negative(bias=-5.0), SGD(0.01), steps=300, batch=16)


@trace
def dead_most():
    m = mlp(depth=4)
    with torch.no_grad():
        m[2].bias[:56] = -20.0
    train("dead_most", "dead", m, torch.optim.SGD(m.parameters(), 0.05), steps=300)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name, run in ALL.items():
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            torch.manual_seed(0)
            run()
