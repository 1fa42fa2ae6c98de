# fault: labels-outside-range
# cause_class: labels, loss, data-scaling
# family: segmentation
# split: held
# needs: numpy
import os
import argparse
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


def parse():
    ap = argparse.ArgumentParser("cells")
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=8)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--size", type=int, default=24)
    return ap.parse_args([])


def draw_cells(n, size, rng):
    """Images and masks the way cv2.imread(..., 0) hands them over."""
    yy, xx = np.mgrid[:size, :size]
    images = np.zeros((n, size, size), np.uint8)
    masks = np.zeros((n, size, size), np.uint8)
    for k in range(n):
        img = rng.normal(70, 18, (size, size))
        for _ in range(rng.integers(1, 4)):
            cy, cx, r = rng.uniform(4, size - 4), rng.uniform(4, size - 4), rng.uniform(2.5, 5)
            inside = (yy - cy) ** 2 + (xx - cx) ** 2 < r * r
            img[inside] += rng.uniform(50, 90)
            masks[k][inside] = 255
        images[k] = img.clip(0, 255)
    return images, masks


class CellDataset(Dataset):
    def __init__(self, images, masks, augment=False):
        self.images, self.masks, self.augment = images, masks, augment

    def __len__(self):
        return len(self.images)

    def to_tensor(self, img):
        t = torch.from_numpy(np.ascontiguousarray(img)).float().unsqueeze(0)
        return (t / 255.0 - 0.35) / 0.2

    def __getitem__(self, i):
        img, mask = self.images[i], self.masks[i]
        if self.augment and torch.rand(1).item() < 0.5:
            img, mask = img[:, ::-1], mask[:, ::-1]
        return self.to_tensor(img), torch.as_tensor(np.ascontiguousarray(mask), dtype=torch.float32)[None]


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class MiniUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2 = block(1, c), block(c, 2 * c)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(2 * c, c, 2, stride=2)
        self.u1 = block(2 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        return self.out(self.u1(torch.cat([a, self.up(b)], 1)))


def iou(logits, mask):
    p, m = logits > 0, mask > 0
    return ((p & m).sum() / (p | m).sum().clamp(min=1)).item()


def main():
    args = parse()
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    train = DataLoader(CellDataset(*draw_cells(240, args.size, rng), augment=True), args.batch_size, shuffle=True)
    val = DataLoader(CellDataset(*draw_cells(48, args.size, rng)), 16)
    model = MiniUNet()
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        model.train()
        running = 0.0
        for x, m in train:
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(x), m)
            loss.backward()
            optimizer.step()
            running += loss.item() / len(train)
        model.eval()
        with torch.no_grad():
            score = np.mean([iou(model(x), m) for x, m in val])
        print(f"[{epoch}/{args.epochs}] loss {running:.3f}  val IoU {score:.3f}")


if __name__ == "__main__":
    main()
