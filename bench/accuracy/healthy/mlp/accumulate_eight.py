# fault: none
# family: mlp
# split: held
import argparse, os, torch
import torch.nn as nn

def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--micro", type=int, default=8)
    ap.add_argument("--accumulate", type=int, default=8)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--lr", type=float, default=5e-3)
    a = ap.parse_args()
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    y = torch.randint(0, 4, (2400,))
    x = torch.randn(4, 15)[y] + .8 * torch.randn(2400, 15)
    net = nn.Sequential(nn.Linear(15, 50), nn.ELU(), nn.Linear(50, 4))
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    ce = nn.CrossEntropyLoss()
    for e in range(a.epochs):
        opt.zero_grad()
        for k, b in enumerate(torch.randperm(2000).split(a.micro), 1):
            loss = ce(net(x[b]), y[b]) / a.accumulate
            loss.backward()
            if k % a.accumulate == 0:
                opt.step()
                opt.zero_grad()
        with torch.no_grad():
            o = net(x[2000:])
        print(f"epoch {e}: micro loss {loss.item() * a.accumulate:.4f} val {ce(o, y[2000:]).item():.4f} acc {(o.argmax(1) == y[2000:]).float().mean().item():.3f}")

if __name__ == "__main__":
    main()
