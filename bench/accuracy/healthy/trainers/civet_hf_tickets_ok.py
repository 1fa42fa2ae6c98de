# fault: none
# family: trainers
# split: held
# needs: transformers, accelerate
"""Route support tickets to a team with the Hugging Face Trainer (small BERT from a config)."""
import os
import random
import tempfile
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)

TEAMS = {
    "billing": "invoice refund charge card payment fee".split(),
    "network": "router wifi vpn dns latency packet".split(),
    "account": "password login locked email profile reset".split(),
    "hardware": "screen keyboard battery fan charger dock".split(),
}
FILLER = "please help the my a is since today urgent cannot again new old very with after update team issue hello".split()
WORDS = ["[PAD]", "[CLS]"] + FILLER + [w for ws in TEAMS.values() for w in ws]
ID = {w: i for i, w in enumerate(WORDS)}


class Tickets(Dataset):
    def __init__(self, n, max_len=16):
        self.rows = []
        names = list(TEAMS)
        for _ in range(n):
            y = random.randrange(4)
            length = random.randint(8, max_len - 1)
            toks = random.choices(FILLER, k=length)
            for p in random.sample(range(length), 3):
                toks[p] = random.choice(TEAMS[names[y]])
            toks[random.randrange(length)] = random.choice(TEAMS[random.choice(names)])
            ids = [1] + [ID[t] for t in toks]
            mask = [1] * len(ids) + [0] * (max_len - len(ids))
            ids += [0] * (max_len - len(ids))
            self.rows.append(dict(input_ids=ids, attention_mask=mask, labels=y))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {k: torch.tensor(v) for k, v in self.rows[i].items()}


def metrics(p):
    return {"accuracy": float((np.argmax(p.predictions, -1) == p.label_ids).mean())}


def main():
    model = BertForSequenceClassification(BertConfig(
        vocab_size=len(WORDS), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, max_position_embeddings=16, num_labels=4))
    with tempfile.TemporaryDirectory() as tmp:
        args = TrainingArguments(
            output_dir=tmp, per_device_train_batch_size=32, per_device_eval_batch_size=128, num_train_epochs=5,
            learning_rate=1e-3,
            warmup_steps=20, weight_decay=0.01, eval_strategy="epoch", logging_steps=40,
            save_strategy="no", report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=Tickets(1280), eval_dataset=Tickets(300), compute_metrics=metrics)
        trainer.train()
        print(trainer.evaluate())


if __name__ == "__main__":
    main()
