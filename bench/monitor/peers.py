"""The peers of bench/monitor: python peers.py psutil|wandb|wandb-off PID INTERVAL SECONDS prints a line when it begins, and what sampling took, as JSON."""

import json
import os
import sys
import tempfile
import time

import psutil


def of_process(p):
    with p.oneshot():
        p.memory_info(), p.num_threads(), p.io_counters(), p.num_ctx_switches(), p.num_fds()
        return p.cpu_percent()


def by_psutil(pid, interval, seconds):
    """All that our sampler reads, as psutil gives it; processes are kept, so that each has its use of a core."""
    known = {}
    cpu, memory, job = [], [], []
    psutil.cpu_percent(percpu=True)
    psutil.cpu_percent()
    print("ready", flush=True)
    began, used = time.monotonic(), time.process_time()
    n = 1
    while n * interval <= seconds:
        time.sleep(max(began + n * interval - time.monotonic(), 0))
        n += 1
        cpu.append(psutil.cpu_percent())
        psutil.cpu_percent(percpu=True)
        psutil.cpu_times_percent(percpu=True)
        memory.append(psutil.virtual_memory().percent)
        psutil.swap_memory()
        psutil.disk_io_counters(perdisk=True)
        psutil.net_io_counters(pernic=True)
        psutil.disk_usage(".")
        trainer = known.setdefault(pid, psutil.Process(pid))
        share = 0.0
        for p in [trainer] + trainer.children(recursive=True):
            share += of_process(known.setdefault(p.pid, p))
        job.append(share)
    wall, used = time.monotonic() - began, time.process_time() - used
    return {"version": psutil.__version__, "core": 100 * used / wall, "cpu": mean(cpu), "memory": mean(memory), "job": mean(job[1:])}


def mean(values):
    return sum(values) / max(len(values), 1)


def by_wandb(pid, interval, seconds, samples):
    import wandb

    def spent():
        """CPU time of all processes that wandb started here, and of this one."""
        total = time.process_time()
        for p in psutil.Process().children(recursive=True):
            try:
                t = p.cpu_times()
                total += t.user + t.system
            except psutil.Error:
                pass
        return total

    with tempfile.TemporaryDirectory() as directory:
        settings = wandb.Settings(mode="offline", silent=True, x_disable_stats=not samples, x_stats_sampling_interval=interval, x_stats_pid=pid)
        run = wandb.init(dir=directory, settings=settings)
        time.sleep(3)  # it has started
        print("ready", flush=True)
        began, used = time.monotonic(), spent()
        time.sleep(seconds)
        wall, used = time.monotonic() - began, spent() - used
        run.finish()
    return {"version": wandb.__version__, "core": 100 * used / wall}


def main():
    who, pid, interval, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    os.environ.setdefault("WANDB_SILENT", "true")
    answer = by_psutil(pid, interval, seconds) if who == "psutil" else by_wandb(pid, interval, seconds, who == "wandb")
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
