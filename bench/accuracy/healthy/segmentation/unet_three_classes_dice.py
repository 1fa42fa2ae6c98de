# fault: none
# family: segmentation
# split: tune
# Three classes on noisy scans, cross-entropy and Dice added up.
import os, random, torch, torch.nn as nn, torch.nn.functional as F
seed = int(os.environ.get('SEED', '0'))
torch.manual_seed(seed)
random.seed(seed)



def conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))



class UNet(nn.Module):

    def __init__(self, classes=3):
        super().__init__()
        self.inc, self.down = (conv(1, 12), nn.Sequential(nn.MaxPool2d(2), conv(12, 24)))
        self.up, self.last, self.outc = (nn.ConvTranspose2d(24, 12, 2, 2), conv(24, 12), nn.Conv2d(12, classes, 1))

    def forward(self, x):
        a = self.inc(x)
        return self.outc(self.last(torch.cat([a, self.up(self.down(a))], 1)))



def dice_loss(p, t, eps=1e-06):
    inter = 2 * (p * t).sum((0, 2, 3))
    return 1 - ((inter + eps) / (p.sum((0, 2, 3)) + t.sum((0, 2, 3)) + eps)).mean()



def scans(n):
    g = torch.stack(torch.meshgrid(torch.arange(24.0), torch.arange(24.0), indexing='ij'))
    c, r = (6 + 12 * torch.rand(n, 2, 1, 1), 4 + 4 * torch.rand(n, 1, 1))
    d = ((g - c) ** 2).sum(1).sqrt()
    mask = (d < r).long() + (d < r / 2).long()
    return ((mask * 0.5 + 0.9 * torch.randn(n, 24, 24))[:, None], mask)
train, val = (scans(200), scans(40))
model, criterion = (UNet(), nn.CrossEntropyLoss())
optimizer = torch.optim.AdamW(model.parameters(), lr=0.002)
for epoch in range(16):
    model.train()
    for b in torch.randperm(200).split(16):
        images, masks = (train[0][b], train[1][b])
        pred = model(images)
        loss = criterion(pred, masks)
        loss += dice_loss(F.softmax(pred, dim=1).float(), F.one_hot(masks, 3).permute(0, 3, 1, 2).float())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()
    with torch.no_grad():
        pred = model(val[0])
        print(epoch, loss.item(), criterion(pred, val[1]).item(), (pred.argmax(1) == val[1]).float().mean().item())
