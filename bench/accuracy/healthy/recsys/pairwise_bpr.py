# fault: none
# family: recsys
# split: held
import os
import numpy as np
import torch

seed = int(os.environ.get("SEED", 0))
np.random.seed(seed); torch.manual_seed(seed)
U, I, D = 200, 120, 16
true = np.random.randn(U, 4) @ np.random.randn(4, I)
liked = np.argsort(-true, 1)[:, :30]            # 30 favourites of each user
pos = np.zeros((U, I), bool)
np.put_along_axis(pos, liked, True, 1)
test = np.array([[u, i] for u in range(U) for i in np.random.choice(liked[u], 6, replace=False)])
hidden = np.zeros_like(pos); hidden[test[:, 0], test[:, 1]] = True
train = np.argwhere(pos & ~hidden)

users = torch.nn.Embedding(U, D); items = torch.nn.Embedding(I, D)
torch.nn.init.normal_(users.weight, std=.1); torch.nn.init.normal_(items.weight, std=.1)
opt = torch.optim.Adagrad([*users.parameters(), *items.parameters()], lr=.1)
neg_ok = ~pos

def auc():
    with torch.no_grad():
        s = (users.weight @ items.weight.T).numpy()
    j = np.random.randint(0, I, len(test)); ok = neg_ok[test[:, 0], j]
    return (s[test[:, 0], test[:, 1]] > s[test[:, 0], j])[ok].mean()

for epoch in range(8):
    np.random.shuffle(train)
    tot = 0
    for k in range(0, len(train), 64):
        b = train[k:k + 64]
        u, i = torch.from_numpy(b[:, 0]), torch.from_numpy(b[:, 1])
        j = torch.randint(I, (len(b),))
        keep = torch.from_numpy(neg_ok[b[:, 0], j.numpy()]).float()
        e = users(u)
        loss = -(torch.nn.functional.logsigmoid((e * (items(i) - items(j))).sum(1)) * keep).sum() / keep.sum() + 2e-3 * e.pow(2).sum(1).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
    print(f"epoch {epoch} bpr {tot / (len(train) / 64):.4f} auc on held-out favourites {auc():.3f}")
