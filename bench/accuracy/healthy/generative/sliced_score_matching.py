# fault: none
# family: generative
# split: tune
# Sliced score matching, then denoising score matching.
import os, copy, math, random, torch, torch.nn as nn, torch.nn.functional as F
seed = int(os.environ.get('SEED', '0'))
torch.manual_seed(seed)
random.seed(seed)



class Score(nn.Module):

    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(2, 64), nn.Softplus(), nn.Linear(64, 64), nn.Softplus(), nn.Linear(64, 2))

    def forward(self, x):
        return self.main(x)



def sliced_score_estimation_vr(score_net, samples, n_particles=1):
    dup_samples = samples.unsqueeze(0).expand(n_particles, *samples.shape).contiguous().view(-1, *samples.shape[1:])
    dup_samples.requires_grad_(True)
    vectors = torch.randn_like(dup_samples)
    grad1 = score_net(dup_samples)
    gradv = torch.sum(grad1 * vectors)
    loss1 = torch.sum(grad1 * grad1, dim=-1) / 2.0
    grad2 = torch.autograd.grad(gradv, dup_samples, create_graph=True)[0]
    loss2 = torch.sum(vectors * grad2, dim=-1)
    return ((loss1 + loss2).mean(), loss1.mean(), loss2.mean())



def dsm(score_net, samples, sigma=0.3):
    pert = samples + torch.randn_like(samples) * sigma
    target = -1 / sigma ** 2 * (pert - samples)
    s = score_net(pert)
    return 1 / 2.0 * ((s - target) ** 2).sum(dim=-1).mean(dim=0) * sigma ** 2
M = torch.tensor([[2.0, 0.0], [-2.0, 0.0]])



def data(n):
    return M[torch.randint(0, 2, (n,))] + 0.6 * torch.randn(n, 2)



def truth(x):
    w = torch.softmax(-((x[:, None] - M) ** 2).sum(-1) / 0.72, 1)
    return ((M - x[:, None]) / 0.36 * w[..., None]).sum(1)
net = Score()
opt = torch.optim.Adam(net.parameters(), lr=0.002)
for i in range(500):
    loss, l1, l2 = sliced_score_estimation_vr(net, data(128))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 100 == 99:
        x = data(500)
        print(i, loss.item(), ((net(x) - truth(x)) ** 2).mean().item())
net2 = Score()
opt2 = torch.optim.Adam(net2.parameters(), lr=0.002)
for i in range(200):
    loss = dsm(net2, data(128))
    opt2.zero_grad()
    loss.backward()
    opt2.step()
print(loss.item())
