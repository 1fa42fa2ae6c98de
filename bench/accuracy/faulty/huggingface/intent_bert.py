# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: huggingface
# split: tune
# needs: numpy, transformers, accelerate
import os
import random
import tempfile
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)
rnd = random.Random(SEED)

INTENTS = {
    0: "play song music loud artist album".split(),
    1: "weather rain sunny forecast cold umbrella".split(),
    2: "timer alarm minutes wake clock remind".split(),
    3: "call phone mother message text dial".split(),
}
FILLER = "please the a can you me now today for my".split()
VOCAB = {w: i + 3 for i, w in enumerate(sorted({w for ws in INTENTS.values() for w in ws} | set(FILLER)))}


class Utterances(Dataset):
    def __init__(self, n):
        self.rows = []
        for _ in range(n):
            y = rnd.randrange(4)
            words = rnd.choices(INTENTS[y], k=2) + rnd.choices(FILLER, k=5)
            rnd.shuffle(words)
            self.rows.append(([1] + [VOCAB[w] for w in words] + [2], y))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids, y = self.rows[i]
        return {"input_ids": torch.tensor(ids), "attention_mask": torch.ones(len(ids), dtype=torch.long),
                "labels": torch.tensor(y)}


def metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


config = BertConfig(vocab_size=len(VOCAB) + 3, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=96, max_position_embeddings=16, num_labels=4,
                    hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1)
model = BertForSequenceClassification(config)
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, num_train_epochs=6, per_device_train_batch_size=32,
                             per_device_eval_batch_size=128, learning_rate=5e-4, weight_decay=0.01,
                             warmup_steps=10_000, lr_scheduler_type="cosine", logging_steps=30,
                             eval_strategy="epoch", save_strategy="no", report_to=[], disable_tqdm=True,
                             seed=SEED, use_cpu=True, dataloader_num_workers=0)
    trainer = Trainer(model=model, args=args, train_dataset=Utterances(960), eval_dataset=Utterances(240),
                      compute_metrics=metrics)
    trainer.train()
    print(trainer.evaluate())
