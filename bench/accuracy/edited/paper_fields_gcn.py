# fault: none
# family: graph
# split: held
# set: dingo, unseen
#coding: utf-8
# Semi-supervised node classification on a citation-like graph, GCN from scratch.
# (exported from a notebook)

# In[1]:
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get('SEED', 0))
np.random.seed(seed)
torch.manual_seed(seed)
rng = np.random.RandomState(seed)

# In[2]: the graph: 450 papers, 5 fields, bag-of-words features
n_nodes, n_fields, n_words = 450, 5, 100
field = rng.randint(0, n_fields, n_nodes)
p_edge = np.where(field[:, None] == field[None, :], 0.045, 0.004)
upper = np.triu(rng.rand(n_nodes, n_nodes) < p_edge, 1)
adj = torch.tensor((upper | upper.T).astype(np.float32))

word_prob = 0.05 + 0.10 * (rng.rand(n_fields, n_words) < 0.15)
words = (rng.rand(n_nodes, n_words) < word_prob[field]).astype(np.float32)
x = torch.tensor(words)
x = x / x.sum(dim=1, keepdim=True).clamp(min=1)
y = torch.tensor(field)

perm = torch.tensor(rng.permutation(n_nodes))
train_idx, val_idx, test_idx = perm[:120], perm[120:240], perm[240:]

# In[3]: symmetric normalisation with self loops
a = adj + torch.eye(n_nodes)
deg = a.sum(dim=1)
a_hat = a / deg.sqrt()[:, None] / deg.sqrt()[None, :]


# In[4]:
class GraphConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_in, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, h, a_hat):
        return a_hat @ (h @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, n_in, n_hid, n_out, p_drop=0.5):
        super().__init__()
        self.conv1 = GraphConv(n_in, n_hid)
        self.conv2 = GraphConv(n_hid, n_hid)
        self.out = GraphConv(n_hid, n_out)
        self.p_drop = p_drop

    def forward(self, h, a_hat):
        h = F.dropout(h, self.p_drop, training=self.training)
        h = F.relu(self.conv1(h, a_hat))
        h = F.dropout(h, self.p_drop, training=self.training)
        h = F.relu(self.conv2(h, a_hat))
        return self.out(h, a_hat)


model = GCN(n_words, 32, n_fields)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)


# In[5]:
def accuracy(idx):
    model.eval()
    with torch.no_grad():
        logits = model(x, a_hat)
    return (logits[idx].argmax(dim=1) == y[idx]).float().mean().item()


best_val, best_test = 0.0, 0.0
for epoch in range(160):
    model.train()
    optimizer.zero_grad()
    logits = model(x, a_hat)
    loss = F.cross_entropy(logits[train_idx], y[train_idx])
    loss.backward()
    optimizer.step()
    if epoch % 10 == 9:
        val_acc = accuracy(val_idx)
        if val_acc > best_val:
            best_val, best_test = val_acc, accuracy(test_idx)
        if epoch % 40 == 39:
            print('epoch %3d | loss %.4f | val %.3f' % (epoch, loss.item(), val_acc))

# In[6]:
print('test accuracy at best validation: %.4f' % best_test)
print('METRIC accuracy %.4f' % best_test)
