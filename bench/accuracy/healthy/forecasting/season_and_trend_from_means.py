# fault: none
# family: forecasting
# split: tune
# Linear layers for trend and season that begin as means, then an encoder by autocorrelation.
import os, copy, math, random, torch, torch.nn as nn, torch.nn.functional as F
seed = int(os.environ.get('SEED', '0'))
torch.manual_seed(seed)
random.seed(seed)



class moving_avg(nn.Module):

    def __init__(self, k):
        super().__init__()
        self.k = k
        self.avg = nn.AvgPool1d(k, 1, 0)

    def forward(self, x):
        f, e = (x[:, :1].repeat(1, (self.k - 1) // 2, 1), x[:, -1:].repeat(1, (self.k - 1) // 2, 1))
        return self.avg(torch.cat([f, x, e], 1).permute(0, 2, 1)).permute(0, 2, 1)



class series_decomp(nn.Module):

    def __init__(self, k):
        super().__init__()
        self.moving_avg = moving_avg(k)

    def forward(self, x):
        m = self.moving_avg(x)
        return (x - m, m)



class DLinear(nn.Module):

    def __init__(self, L, Pn):
        super().__init__()
        self.decompsition = series_decomp(13)
        self.Linear_Seasonal = nn.Linear(L, Pn)
        self.Linear_Trend = nn.Linear(L, Pn)
        self.Linear_Seasonal.weight = nn.Parameter(1 / L * torch.ones([Pn, L]))
        self.Linear_Trend.weight = nn.Parameter(1 / L * torch.ones([Pn, L]))

    def forward(self, x):
        s, t = self.decompsition(x)
        return (self.Linear_Seasonal(s.permute(0, 2, 1)) + self.Linear_Trend(t.permute(0, 2, 1))).permute(0, 2, 1)



class AutoCorr(nn.Module):

    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.c1, self.c2 = (nn.Conv1d(d, 32, 1, bias=False), nn.Conv1d(32, d, 1, bias=False))
        self.d1, self.d2 = (series_decomp(7), series_decomp(7))
        self.dropout = nn.Dropout(0.05)

    def forward(self, x):
        q, k, v = (self.q(x), self.k(x), self.v(x))
        corr = torch.fft.irfft(torch.fft.rfft(q, dim=1) * torch.conj(torch.fft.rfft(k, dim=1)), n=x.shape[1], dim=1).mean(2)
        w, delay = torch.topk(corr, 4, dim=1)
        w = torch.softmax(w, -1)
        idx = (torch.arange(x.shape[1])[None, None] + delay[..., None]) % x.shape[1]
        y = sum((w[:, i, None, None] * v.gather(1, idx[:, i, :, None].expand_as(v)) for i in range(4)))
        x, _ = self.d1(x + self.dropout(self.o(y)))
        h = self.c2(F.gelu(self.c1(x.transpose(1, 2)))).transpose(1, 2)
        return self.d2(x + h)[0]



class Auto(nn.Module):

    def __init__(self, L, Pn, d=24):
        super().__init__()
        self.dec = series_decomp(13)
        self.emb = nn.Linear(1, d)
        self.enc = AutoCorr(d)
        self.p = nn.Linear(d, 1)
        self.head = nn.Linear(L, Pn)
        self.trend = nn.Linear(L, Pn)

    def forward(self, x):
        s, t = self.dec(x)
        return self.head(self.p(self.enc(self.emb(s))).squeeze(2)).unsqueeze(2) + self.trend(t.squeeze(2)).unsqueeze(2)
t = torch.arange(1500.0)
s = torch.sin(t / 4) + 0.5 * torch.sin(t / 15) + 0.002 * t + 0.1 * torch.randn(1500)
s = (s - s[:1000].mean()) / s[:1000].std()



def batch(lo, hi, n=32):
    i = torch.randint(lo, hi - 60, (n,))
    b = torch.stack([s[k:k + 60] for k in i])[..., None]
    return (b[:, :48], b[:, 48:])
for cls in (DLinear, Auto):
    model = cls(48, 12)
    model_optim = torch.optim.Adam(model.parameters(), lr=0.002)
    criterion = nn.MSELoss()
    for epoch in range(3):
        model.train()
        tl = []
        for _ in range(60):
            x, y = batch(0, 1000)
            model_optim.zero_grad()
            loss = criterion(model(x), y)
            tl.append(loss.item())
            loss.backward()
            model_optim.step()
        model.eval()
        with torch.no_grad():
            vali_loss = sum((criterion(model(x), y).item() for x, y in [batch(1000, 1250) for _ in range(5)])) / 5
        for g in model_optim.param_groups:
            g['lr'] = 0.002 * 0.5 ** (epoch // 1)
        print(epoch, sum(tl) / 60, vali_loss)
