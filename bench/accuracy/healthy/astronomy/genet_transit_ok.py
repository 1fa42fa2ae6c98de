# fault: none
# family: astronomy
# split: tune
# Exoplanet transit depth from folded light curves (50 phase bins)
# M.Sc. thesis, chapter 4, "deep" variant
import os, numpy, torch

seed = int(os.environ.get('SEED', 0))
numpy.random.seed(seed)
torch.manual_seed(seed)


def lightcurve(n):
    phase = numpy.linspace(-.5, .5, 50)
    depth = numpy.random.uniform(.2, 1.5, n)
    dur = numpy.random.uniform(.08, .2, n)
    flux = numpy.random.normal(0, .12, (n, 50))
    trend = numpy.random.normal(0, .3, (n, 1)) * phase
    for i in range(n):
        flux[i] -= depth[i] / (1 + numpy.exp((numpy.abs(phase) - dur[i]) * 60))
    label = depth * dur * 10
    return torch.tensor(flux + trend, dtype=torch.float), torch.tensor(label, dtype=torch.float).unsqueeze(1)


layers = []
width = [50, 48, 48, 48, 48, 48, 32, 32, 16]
for a, b in zip(width[:-1], width[1:]):
    layers += [torch.nn.Linear(a, b), torch.nn.ReLU()]
layers.append(torch.nn.Linear(width[-1], 1))
net = torch.nn.Sequential(*layers)

xtr, ytr = lightcurve(2000)
xte, yte = lightcurve(500)
m, s = ytr.mean(), ytr.std()
opt = torch.optim.SGD(net.parameters(), lr=.03, momentum=.9)
crit = torch.nn.MSELoss()

for epoch in range(30):
    perm = torch.randperm(len(xtr))
    cum = 0.
    for k in range(0, len(xtr), 50):
        i = perm[k:k + 50]
        opt.zero_grad()
        loss = crit(net(xtr[i]), (ytr[i] - m) / s)
        loss.backward()
        opt.step()
        cum += loss.item()
    if epoch % 5 == 4:
        with torch.no_grad():
            pred = net(xte) * s + m
        print('epoch', epoch + 1, 'train', '%.4f' % (cum / 40), 'test rms', '%.4f' % (pred - yte).pow(2).mean().sqrt(), 'of', '%.4f' % yte.std())
