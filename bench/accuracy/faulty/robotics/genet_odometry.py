# fault: inputs-not-scaled
# cause_class: data-scaling, activation
# family: robotics
# split: held
"""
Slip-aware odometry. In: raw log columns of the rover (encoder tick differences left/right, motor current in mA,
battery in mV, gyro z in millideg/s).  Out: forward speed and yaw rate.
"""
import os
import csv
import io
import numpy as np
import torch

rs = np.random.RandomState(int(os.environ.get("SEED", 0)))
torch.manual_seed(int(os.environ.get("SEED", 0)))

COLS = ["ticks_l", "ticks_r", "current_ma", "battery_mv", "gyro_mdps"]


def fake_log(rows=2400):
    v = rs.uniform(-0.2, 1.0, rows)
    wz = rs.uniform(-1.2, 1.2, rows)
    slip = rs.uniform(0, 0.35, rows)
    tl = (v - 0.18 * wz) / (1 - slip) * 4096 * 3.1
    tr = (v + 0.18 * wz) / (1 - slip) * 4096 * 3.1
    cur = 900 + 2600 * slip + 300 * np.abs(v) + rs.normal(0, 40, rows)
    bat = rs.uniform(11200, 12600, rows)
    gyro = np.degrees(wz) * 1000 + rs.normal(0, 600, rows)
    f = io.StringIO()
    w = csv.writer(f)
    w.writerow(COLS + ["v", "wz"])
    for r in zip(tl.round(), tr.round(), cur.round(), bat.round(), gyro.round(), v, wz):
        w.writerow(r)
    f.seek(0)
    return f


table = np.array([[float(c) for c in row] for row in list(csv.reader(fake_log()))[1:]], dtype=np.float32)
X, Y = table[:, :5], table[:, 5:]
X, Y = torch.tensor(X), torch.tensor(Y)
Ytr, Yte = Y[:2000], Y[2000:]

net = torch.nn.Sequential(torch.nn.Linear(5, 40), torch.nn.Tanh(), torch.nn.Linear(40, 40), torch.nn.Tanh(), torch.nn.Linear(40, 2))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)

best = float("inf")
for epoch in range(1, 41):
    idx = np.arange(2000); rs.shuffle(idx)
    s = 0.0
    for k in range(0, 2000, 50):
        j = idx[k:k + 50]
        opt.zero_grad()
        l = ((net(X[j]) - Ytr[j]) ** 2).mean()
        l.backward()
        opt.step()
        s += l.item()
    if epoch % 8 == 0:
        with torch.no_grad():
            e = net(X[2000:]) - Yte
        r2 = 1 - e.pow(2).mean(0) / Yte.var(0)
        best = min(best, e.pow(2).mean().item())
        print("epoch", epoch, "train", round(s / 40, 4), "test", round(e.pow(2).mean().item(), 4), "R2 v/wz", [round(a, 3) for a in r2.tolist()])
print("best test mse", best)
