# fault: layers-not-registered
# cause_class: not-updated, structure
# family: music
# split: held
"""WaveNet-like next-note model. Themes repeat an octave apart after eight notes."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get('SEED', 0)))
NOTES = 24

def melodies(n, length=33):
    theme = torch.randint(0, 12, (n, 8))
    reps = [theme if k % 2 == 0 else theme + 12 for k in range(length // 8 + 1)]
    tune = torch.cat(reps, 1)[:, :length]
    slip = torch.rand(tune.shape) < 0.02
    return torch.where(slip, torch.randint(0, NOTES, tune.shape), tune)

class CausalBlock(nn.Module):
    def __init__(self, ch, dilation):
        super().__init__()
        self.pad = dilation
        self.filt = nn.Conv1d(ch, ch, 2, dilation=dilation)
        self.gate = nn.Conv1d(ch, ch, 2, dilation=dilation)
        self.res = nn.Conv1d(ch, ch, 1)
        self.skip = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        p = F.pad(x, (self.pad, 0))
        h = torch.tanh(self.filt(p)) * torch.sigmoid(self.gate(p))
        return x + self.res(h), self.skip(h)

class NoteNet(nn.Module):
    def __init__(self, ch=32, dilations=(1, 2, 4, 8)):
        super().__init__()
        self.emb = nn.Embedding(NOTES, ch)
        self.blocks = [CausalBlock(ch, d) for d in dilations]
        self.post = nn.Sequential(nn.ReLU(), nn.Conv1d(ch, ch, 1), nn.ReLU(), nn.Conv1d(ch, NOTES, 1))

    def forward(self, notes):
        x = self.emb(notes).transpose(1, 2)
        total = 0
        for block in self.blocks:
            x, s = block(x)
            total = total + s
        return self.post(total)

def main(steps=300, batch=16):
    model = NoteNet()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    warm = torch.optim.lr_scheduler.LinearLR(opt, 0.1, 1.0, total_iters=20)
    cos = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps - 20)
    sched = torch.optim.lr_scheduler.SequentialLR(opt, [warm, cos], milestones=[20])
    test = melodies(200)
    for step in range(steps):
        m = melodies(batch)
        loss = F.cross_entropy(model(m[:, :-1]), m[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if (step + 1) % 50 == 0:
            with torch.no_grad():
                hit = (model(test[:, :-1]).argmax(1) == test[:, 1:])[:, 8:].float().mean()
            print(f'{step + 1:4d} nll {loss.item():.3f}  note accuracy after the theme {hit:.3f}')

main()
