# fault: none
# family: huggingface
# split: held
# needs: transformers
import os

import torch
from torch.utils.data import DataLoader, TensorDataset
from transformers import BertConfig, BertForSequenceClassification, set_seed

set_seed(int(os.environ.get("SEED", 0)))
CFG = dict(vocab_size=80, hidden_size=48, num_hidden_layers=1, num_attention_heads=4, intermediate_size=96,
           max_position_embeddings=12)


def texts(n, classes, regroup=None):
    topic = torch.randint(0, 8, (n,))
    ids = torch.randint(40, 80, (n, 12))
    hit = torch.rand(n, 12) < 0.4
    ids = torch.where(hit, topic[:, None] * 5 + torch.randint(0, 5, (n, 12)), ids)
    return TensorDataset(ids, topic if regroup is None else regroup[topic])


def run(model, params, data, epochs, lr, tag):
    opt = torch.optim.AdamW(params, lr=lr)
    test = data[1]
    for e in range(epochs):
        model.train()
        s = 0.0
        loader = DataLoader(data[0], batch_size=32, shuffle=True)
        for ids, y in loader:
            loss = model(input_ids=ids, labels=y).loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            s += loss.item()
        model.eval()
        with torch.no_grad():
            ids, y = test.tensors
            acc = (model(input_ids=ids).logits.argmax(-1) == y).float().mean().item()
        print(f"{tag} epoch {e} loss {s / len(loader):.4f} test acc {acc:.3f}")


big = BertForSequenceClassification(BertConfig(num_labels=8, **CFG))
run(big, big.parameters(), (texts(1500, 8), texts(300, 8)), 3, 2e-3, "pretraining")

groups = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
small = BertForSequenceClassification(BertConfig(num_labels=3, **CFG))
small.bert.load_state_dict(big.bert.state_dict())
for p in small.bert.parameters():
    p.requires_grad = False
run(small, small.classifier.parameters(), (texts(800, 3, groups), texts(300, 3, groups)), 4, 5e-3, "head")
