# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
"""First train a small DistilBERT, then freeze its body and train only a new head for a second, related task."""
import os
import tempfile
import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

seed = int(os.environ.get("SEED", 0))
set_seed(seed)
LEN = 10


def corpus(n, task):
    topic = torch.randint(0, 6, (n,))
    ids = torch.randint(40, 80, (n, LEN))
    rows = torch.arange(n)
    for _ in range(4):
        ids[rows, torch.randint(1, LEN, (n,))] = 4 + 6 * topic + torch.randint(0, 6, (n,))
    ids[:, 0] = 1
    y = topic if task == "topic" else (topic >= 3).long()
    return [dict(input_ids=i, attention_mask=torch.ones(LEN, dtype=torch.long), labels=l) for i, l in zip(ids, y)]


def fit(model, task, steps, lr):
    with tempfile.TemporaryDirectory() as tmp:
        args = TrainingArguments(tmp, max_steps=steps, per_device_train_batch_size=32, learning_rate=lr,
                                 logging_steps=40, save_strategy="no", report_to=[], disable_tqdm=True,
                                 use_cpu=True, seed=seed, per_device_eval_batch_size=200)
        tr = Trainer(model=model, args=args, train_dataset=corpus(1500, task), eval_dataset=corpus(200, task),
                     compute_metrics=lambda p: {"acc": float((p.predictions.argmax(1) == p.label_ids).mean())})
        tr.train()
        print(task, {k: round(v, 4) for k, v in tr.evaluate().items() if k in ("eval_loss", "eval_acc")})


def make(labels):
    return DistilBertForSequenceClassification(DistilBertConfig(
        vocab_size=80, dim=40, n_layers=2, n_heads=4, hidden_dim=80, max_position_embeddings=LEN, num_labels=labels))


source = make(6)
fit(source, "topic", 150, 2e-3)
target = make(2)
target.distilbert.load_state_dict(source.distilbert.state_dict())
for p in target.distilbert.parameters():
    p.requires_grad = False
fit(target, "half", 100, 3e-3)
