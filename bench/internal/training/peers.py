"""Attaches one of Vigil's peers to a training, as its documentation says.

attach(NAME, model, out) gives two functions: the first is called after every
step with the loss, the second at the end; and, of a tool that wants to surround
each step, a third that makes a context for it. Each peer is given the work that a
condition of Vigil has, as near as it can: what it cannot do is left out, and
captured.py counts what it really stored.
"""

import os


def attach(name, model, out):
    """``name`` is one of PEERS; ``out`` the folder for everything it writes."""
    return PEERS[name](model, out)


def smdebug(model, out, every, **what):
    import smdebug.pytorch as smd

    hook = smd.Hook(out_dir=os.path.join(out, "smdebug"), save_config=smd.SaveConfig(save_interval=every), **what)
    hook.register_module(model)
    return lambda loss: hook.save_scalar("loss", loss), hook.close


def smdebug_all(model, out):
    return smdebug(model, out, 10, save_all=True)


def smdebug_weights(model, out):
    return smdebug(model, out, 10, include_collections=["weights", "biases"])


def smdebug_statistics(model, out):
    from smdebug.pytorch import ReductionConfig

    few = ReductionConfig(reductions=["min", "max", "mean", "std"], norms=["l2"])
    return smdebug(model, out, 1, include_collections=["weights", "biases", "gradients"], reduction_config=few)


def wandb_watch(model, out):
    import wandb

    run = wandb.init(project="overhead", mode="offline", dir=out, settings=wandb.Settings(silent=True, console="off"))
    run.watch(model, log="all", log_freq=1)
    return lambda loss: run.log({"loss": loss}), run.finish


def tensorboard(model, out):
    from torch.utils.tensorboard import SummaryWriter

    writer, steps = SummaryWriter(os.path.join(out, "tensorboard")), [0]

    def after(loss):
        n = steps[0]
        steps[0] += 1
        writer.add_scalar("loss", loss, n)
        for name, p in model.named_parameters():
            writer.add_histogram(name, p, n)
            writer.add_histogram("gradient/" + name, p.grad, n)

    return after, writer.close


def loop(model, out):
    """What people write themselves: a few statistics of each tensor, as numbers."""
    file = open(os.path.join(out, "loop.csv"), "w")
    steps = [0]

    def after(loss):
        n = steps[0]
        steps[0] += 1
        file.write("%d,loss,%r\n" % (n, loss))
        for name, p in model.named_parameters():
            for kind, t in (("", p.detach()), ("gradient/", p.grad)):
                numbers = t.min().item(), t.max().item(), t.mean().item(), t.std().item(), t.norm().item()
                file.write("%d,%s%s,%r,%r,%r,%r,%r\n" % ((n, kind, name) + numbers))

    return after, file.close


def empty(model, out):
    """Functions that do nothing where Vigil's hooks are: what any hook costs at least."""
    import torch
    from torch.optim import optimizer

    model.register_forward_pre_hook(lambda module, args: None)
    model.register_forward_hook(lambda module, args, output: None)
    optimizer.register_optimizer_step_pre_hook(lambda *args: None)
    optimizer.register_optimizer_step_post_hook(lambda *args: None)
    backward, loss = torch.Tensor.backward, torch.nn.functional.cross_entropy
    torch.Tensor.backward = lambda *args, **kwargs: backward(*args, **kwargs)
    torch.nn.functional.cross_entropy = lambda *args, **kwargs: loss(*args, **kwargs)
    return None, lambda: None


def torch_profiler(model, out):
    """Records of every operation, in stretches that are made and thrown away."""
    from torch import profiler

    p = profiler.profile(activities=[profiler.ProfilerActivity.CPU], schedule=profiler.schedule(wait=0, warmup=1, active=9), on_trace_ready=lambda _: None)
    p.start()
    return lambda loss: p.step(), p.stop


def cprofile(model, out):
    import cProfile

    p = cProfile.Profile()

    def close():
        p.disable()
        p.dump_stats(os.path.join(out, "profile"))

    p.enable()
    return None, close


def py_spy(model, out):
    """100 samples a second, from another process."""
    import signal
    import subprocess
    import sys

    spy = os.path.join(os.path.dirname(sys.executable), "py-spy")
    child = subprocess.Popen([spy, "record", "--pid", str(os.getpid()), "--rate", "100", "--format", "raw", "--output", os.path.join(out, "samples")], stdout=2)

    def close():
        child.send_signal(signal.SIGINT)
        child.wait()

    return None, close


def wandb_system(model, out):
    """System metrics twice a second, as Vigil takes them; nothing else but the loss."""
    import wandb

    settings = wandb.Settings(silent=True, console="off", x_stats_sampling_interval=0.5)
    run = wandb.init(project="overhead", mode="offline", dir=out, settings=settings)
    return lambda loss: run.log({"loss": loss}), run.finish


def traceml(model, out):
    import socket
    import subprocess
    import sys

    import traceml_ai

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = os.path.join(os.path.dirname(sys.executable), "traceml")
    child = subprocess.Popen([sys.executable, serve, "serve", "--logs-dir", out, "--run-name", "run", "--aggregator-port", str(port)], stdout=2)
    traceml_ai.init(logs_dir=out, session_id="run", aggregator_port=port, connect_timeout_sec=30, on_missing_aggregator="raise")

    def close():
        child.terminate()
        child.wait()

    return None, close, lambda: traceml_ai.trace_step(model)


PEERS = {
    "torch_profiler": torch_profiler,
    "cprofile": cprofile,
    "py_spy": py_spy,
    "wandb_system": wandb_system,
    "traceml": traceml,
    "empty": empty,
    "smdebug_all": smdebug_all,
    "smdebug_weights": smdebug_weights,
    "smdebug_statistics": smdebug_statistics,
    "wandb_watch": wandb_watch,
    "tensorboard": tensorboard,
    "loop": loop,
}
