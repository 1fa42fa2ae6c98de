# fault: none
# family: language
# split: held
# set: puma, unseen
# needs: transformers, accelerate
"""
Routing of support tickets with a small BERT and the HF Trainer.

No checkpoint can be downloaded on the build machine, so the encoder comes from a config; tickets are
short lists of word ids as our tokenizer service returns them.  8 queues, ragged lengths.
"""
import os
import random

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()
hf_logging.disable_progress_bar()

SEED = int(os.environ.get("SEED", 0))
QUEUES = ["billing", "login", "delivery", "returns", "hardware", "network", "contract", "other"]
PAD, CLS, SEP = 0, 1, 2
VOCAB = 203
MAX_LEN = 24


def write_tickets(n, rng):
    """Each queue has its own 12 words, the last word group decides if two queues are mixed."""
    rows = []
    for _ in range(n):
        queue = int(rng.choice(len(QUEUES), p=[0.2, 0.15, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1]))
        length = int(rng.integers(6, MAX_LEN - 1))
        words = rng.integers(100, VOCAB, length)                       # chatter
        for pos in rng.choice(length, max(3, length // 3), replace=False):
            words[pos] = 3 + 12 * queue + rng.integers(0, 12)
        other = int(rng.integers(0, len(QUEUES)))
        words[rng.integers(0, length)] = 3 + 12 * other + rng.integers(0, 12)
        rows.append({"input_ids": [CLS, *words.tolist(), SEP], "labels": queue})
    return rows


class TicketCollator:
    def __call__(self, rows):
        width = max(len(r["input_ids"]) for r in rows)
        ids = torch.full((len(rows), width), PAD)
        mask = torch.zeros(len(rows), width, dtype=torch.long)
        for i, r in enumerate(rows):
            k = len(r["input_ids"])
            ids[i, :k] = torch.tensor(r["input_ids"])
            mask[i, :k] = 1
        labels = torch.tensor([r["labels"] for r in rows])
        return {"input_ids": ids, "attention_mask": mask, "labels": labels}


class TicketTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        weights = torch.tensor([0.6, 0.8, 0.8, 1.2, 1.2, 1.2, 1.2, 1.2])
        loss = torch.nn.functional.cross_entropy(outputs.logits, labels, weight=weights)
        return (loss, outputs) if return_outputs else loss


def build_model():
    config = BertConfig(
        vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=64, num_labels=len(QUEUES), pad_token_id=PAD, initializer_range=0.1,
        hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.0, classifier_dropout=0.05,
        attn_implementation="eager",
    )
    return BertForSequenceClassification(config)


@torch.no_grad()
def accuracy(model, rows, collator):
    model.eval()
    right = 0
    for i in range(0, len(rows), 100):
        batch = collator(rows[i:i + 100])
        labels = batch.pop("labels")
        right += (model(**batch).logits.argmax(-1) == labels).sum().item()
    return right / len(rows)


def main():
    random.seed(SEED)
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    train_rows, test_rows = write_tickets(1800, rng), write_tickets(300, rng)
    collator = TicketCollator()
    model = build_model()
    args = TrainingArguments(
        output_dir="/tmp/unused", report_to=[], save_strategy="no", eval_strategy="no", use_cpu=True,
        per_device_train_batch_size=16, num_train_epochs=1, learning_rate=6e-3, weight_decay=0.01,
        warmup_steps=15, lr_scheduler_type="linear", max_grad_norm=1.0, logging_steps=50,
        disable_tqdm=True, seed=SEED, remove_unused_columns=False,
    )
    trainer = TicketTrainer(model=model, args=args, train_dataset=train_rows, data_collator=collator)
    trainer.train()
    print(f"train accuracy {accuracy(model, train_rows[:300], collator):.3f}")
    print(f"METRIC accuracy {accuracy(model, test_rows, collator):.4f}")


if __name__ == "__main__":
    main()
