# fault: init-equal
# cause_class: initialisation
# family: embedded
# split: tune
# e-nose: 6 metal-oxide sensors -> which gas mixture (5 classes)
# momentum SGD by hand, the same code runs as C on the device for the recalibration
import os, math
import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get('SEED', 0)))

SENS, HID, GAS = 6, 20, 5
response = torch.rand(GAS - 1, SENS) * 1.2 + 0.2


def measure(n):
    y = torch.randint(0, GAS, (n,))
    conc = torch.rand(n, GAS - 1) * 0.15
    on = torch.rand(n) * 0.8 + 0.6
    for k in range(GAS - 1):
        conc[y == k, k] += on[y == k]
    # class 4: mixture of gas 0 and gas 2
    m = y == 4
    conc[m, 0] += 0.5 * on[m]
    conc[m, 2] += 0.5 * on[m]
    r = torch.log1p(conc @ response * 4) + 0.03 * torch.randn(n, SENS)
    return r - 1.3, y


class Dense:
    def __init__(self, i, o):
        self.w = torch.zeros(i, o)
        self.b = torch.zeros(o)
        self.w.requires_grad_(); self.b.requires_grad_()
        self.vw = torch.zeros_like(self.w); self.vb = torch.zeros_like(self.b)

    def __call__(self, x):
        return x @ self.w + self.b

    @torch.no_grad()
    def update(self, lr, mom):
        for p, v in ((self.w, self.vw), (self.b, self.vb)):
            v.mul_(mom).sub_(lr * p.grad)
            p.add_(v)
            p.grad = None


l1, l2 = Dense(SENS, HID), Dense(HID, GAS)
xt, yt = measure(600)
lr = 0.08
for it in range(900):
    x, y = measure(40)
    z = l2(torch.tanh(l1(x)))
    loss = F.nll_loss(F.log_softmax(z, 1), y)
    loss.backward()
    for l in (l1, l2):
        l.update(lr if it < 600 else lr / 4, 0.9)
    if it % 150 == 149:
        with torch.no_grad():
            a = (l2(torch.tanh(l1(xt))).argmax(1) == yt).float().mean()
        print(it + 1, 'loss', round(loss.item(), 4), 'acc', round(a.item(), 3))
