# fault: none
# family: segmentation
# split: tune
# The widely used U-Net: the Dice loss is added in place to what the criterion gave.
import os, copy, math, random, torch, torch.nn as nn, torch.nn.functional as F
seed = int(os.environ.get('SEED', '0'))
torch.manual_seed(seed)
random.seed(seed)



class DoubleConv(nn.Module):

    def __init__(self, i, o):
        super().__init__()
        self.double_conv = nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True), nn.Conv2d(o, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

    def forward(self, x):
        return self.double_conv(x)



class UNet(nn.Module):

    def __init__(self):
        super().__init__()
        self.n_classes = 1
        self.inc = DoubleConv(1, 8)
        self.down1 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(8, 16))
        self.down2 = nn.Sequential(nn.MaxPool2d(2), DoubleConv(16, 32))
        self.up1 = nn.ConvTranspose2d(32, 16, 2, 2)
        self.c1 = DoubleConv(32, 16)
        self.up2 = nn.ConvTranspose2d(16, 8, 2, 2)
        self.c2 = DoubleConv(16, 8)
        self.outc = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x = self.c1(torch.cat([x2, self.up1(x3)], 1))
        x = self.c2(torch.cat([x1, self.up2(x)], 1))
        return self.outc(x)



def dice_coeff(input, target, reduce_batch_first=False, epsilon=1e-06):
    sum_dim = (-1, -2) if not reduce_batch_first else (-1, -2, -3)
    inter = 2 * (input * target).sum(dim=sum_dim)
    sets_sum = input.sum(dim=sum_dim) + target.sum(dim=sum_dim)
    sets_sum = torch.where(sets_sum == 0, inter, sets_sum)
    return ((inter + epsilon) / (sets_sum + epsilon)).mean()



def dice_loss(input, target):
    return 1 - dice_coeff(input, target, reduce_batch_first=True)



def make(n):
    g = torch.stack(torch.meshgrid(torch.arange(32.0), torch.arange(32.0), indexing='ij'))
    c = 8 + 16 * torch.rand(n, 2, 1, 1)
    r = 3 + 5 * torch.rand(n, 1, 1)
    m = (((g - c) ** 2).sum(1).sqrt() < r).float()
    return ((m * 0.8 + 0.5 * torch.randn(n, 32, 32))[:, None], m.long())
tx, ty = make(240)
vx, vy = make(48)
model = UNet()
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.0001, weight_decay=1e-08, momentum=0.9, foreach=True)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, 'max', patience=5)
grad_scaler = torch.amp.GradScaler('cpu', enabled=False)
criterion = nn.BCEWithLogitsLoss()
global_step = 0



def evaluate(net):
    net.eval()
    s = 0
    with torch.inference_mode():
        for i in range(0, 48, 16):
            p = (torch.sigmoid(net(vx[i:i + 16]).squeeze(1)) > 0.5).float()
            s += dice_coeff(p, vy[i:i + 16].float(), reduce_batch_first=False)
    net.train()
    return s / 3
for epoch in range(1, 7):
    model.train()
    epoch_loss = 0
    for b in torch.randperm(240).split(12):
        images, true_masks = (tx[b], ty[b])
        with torch.autocast('cpu', enabled=False):
            masks_pred = model(images)
            loss = criterion(masks_pred.squeeze(1), true_masks.float())
            loss += dice_loss(F.sigmoid(masks_pred.squeeze(1)), true_masks.float())
        optimizer.zero_grad(set_to_none=True)
        grad_scaler.scale(loss).backward()
        grad_scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        grad_scaler.step(optimizer)
        grad_scaler.update()
        global_step += 1
        epoch_loss += loss.item()
        if global_step % 10 == 0:
            val_score = evaluate(model)
            scheduler.step(val_score)
    print(epoch, epoch_loss / 20, val_score.item())
