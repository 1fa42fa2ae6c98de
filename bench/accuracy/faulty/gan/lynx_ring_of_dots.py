# fault: detached-mid-network
# cause_class: not-updated, structure
# family: gan
# split: held
from __future__ import print_function
import argparse
import math
import os
import torch
import torch.nn as nn
import torch.optim as optim

parser = argparse.ArgumentParser()
parser.add_argument('--nz', type=int, default=8, help='size of the latent z vector')
parser.add_argument('--ngf', type=int, default=64)
parser.add_argument('--ndf', type=int, default=64)
parser.add_argument('--niter', type=int, default=600)
parser.add_argument('--batchSize', type=int, default=64)
parser.add_argument('--lr', type=float, default=0.0005)
parser.add_argument('--beta1', type=float, default=0.5)
parser.add_argument('--manualSeed', type=int, default=int(os.environ.get('SEED', 0)))
opt = parser.parse_args([])
torch.manual_seed(opt.manualSeed)

real_label, fake_label = 1.0, 0.0


def real_batch(n):
    k = torch.randint(0, 8, (n,)).float() * (2 * math.pi / 8)
    return torch.stack([k.cos(), k.sin()], 1) * 1.2 + 0.05 * torch.randn(n, 2)


netG = nn.Sequential(nn.Linear(opt.nz, opt.ngf), nn.ReLU(True), nn.Linear(opt.ngf, opt.ngf), nn.ReLU(True), nn.Linear(opt.ngf, 2))
netD = nn.Sequential(nn.Linear(2, opt.ndf), nn.LeakyReLU(0.2, True), nn.Linear(opt.ndf, opt.ndf), nn.LeakyReLU(0.2, True),
                     nn.Linear(opt.ndf, 1), nn.Flatten(0))
criterion = nn.BCEWithLogitsLoss()
optimizerD = optim.Adam(netD.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
fixed_noise = torch.randn(256, opt.nz)


def judge(samples, target):
    label = torch.full((samples.size(0),), target)
    out = netD(samples.detach())
    return criterion(out, label), out.sigmoid().mean().item()


for it in range(opt.niter):
    # (1) D: maximize log(D(x)) + log(1 - D(G(z)))
    netD.zero_grad()
    errD_real, D_x = judge(real_batch(opt.batchSize), real_label)
    fake = netG(torch.randn(opt.batchSize, opt.nz))
    errD_fake, D_G_z1 = judge(fake, fake_label)
    errD = errD_real + errD_fake
    errD.backward()
    optimizerD.step()

    # (2) G: maximize log(D(G(z)))
    netG.zero_grad()
    errG, D_G_z2 = judge(fake, real_label)
    errG.backward()
    optimizerG.step()

    if it % 50 == 0:
        with torch.no_grad():
            r = netG(fixed_noise).norm(dim=1)
        print('[%d/%d] Loss_D: %.4f Loss_G: %.4f D(x): %.4f D(G(z)): %.4f / %.4f  radius %.2f +- %.2f'
              % (it, opt.niter, errD.item(), errG.item(), D_x, D_G_z1, D_G_z2, r.mean(), r.std()))
