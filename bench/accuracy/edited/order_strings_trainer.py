# fault: none
# family: language
# split: held
# set: dingo, unseen
# needs: transformers
"""Small causal language model over synthetic order strings, trained with transformers.Trainer.

Strings look like   <bos> item qty size colour ; item qty size colour ; ... <eos>
where the size depends on the item and the colour on (item, qty); next-token accuracy on held-out strings is reported.
"""
import logging
import os
import random
import tempfile
import warnings

import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

warnings.filterwarnings("ignore")
logging.getLogger("transformers").setLevel(logging.ERROR)

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)

PAD, BOS, EOS, SEP = 0, 1, 2, 3
ITEM0, QTY0, SIZE0, COLOUR0 = 4, 24, 34, 44
VOCAB = 56
rng = random.Random(SEED)
SIZE_OF = {i: rng.randrange(10) for i in range(12)}
COLOUR_OF = {(i, q): rng.randrange(12) for i in range(12) for q in range(3)}


def order(rng):
    ids = [BOS]
    for n in range(rng.randint(1, 4)):
        item, qty = rng.randrange(12), rng.randrange(3)
        ids += [ITEM0 + item, QTY0 + qty, SIZE0 + SIZE_OF[item], COLOUR0 + COLOUR_OF[item, qty], SEP]
    return ids + [EOS]


class Orders(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        rng = random.Random(seed)
        self.rows = [order(rng) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i]}


def collate(examples):
    longest = max(len(e["input_ids"]) for e in examples)
    ids = torch.full((len(examples), longest), PAD)
    mask = torch.zeros(len(examples), longest, dtype=torch.long)
    for row, e in enumerate(examples):
        n = len(e["input_ids"])
        ids[row, :n] = torch.tensor(e["input_ids"])
        mask[row, :n] = 1
    labels = ids.masked_fill(mask == 0, -100)
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


def build_model():
    config = GPT2Config(
        vocab_size=VOCAB,
        n_positions=32,
        n_embd=48,
        n_layer=2,
        n_head=3,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=BOS,
        eos_token_id=EOS,
        pad_token_id=PAD,
    )
    return GPT2LMHeadModel(config)


def predictable_accuracy(model, dataset):
    """Share of sizes and colours (the tokens that can be known) predicted right from what stands before them."""
    model.eval()
    right = total = 0
    with torch.no_grad():
        for start in range(0, len(dataset), 64):
            batch = collate([dataset[i] for i in range(start, min(start + 64, len(dataset)))])
            logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
            target = batch["input_ids"][:, 1:]
            known = target >= SIZE0
            right += ((logits[:, :-1].argmax(-1) == target) & known).sum().item()
            total += known.sum().item()
    return right / total


class PrintLoss(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            print(f"step {state.global_step}: loss {float(logs['loss']):.4f}")


def main():
    train_set, test_set = Orders(1600, SEED + 10), Orders(192, SEED + 11)
    model = build_model()
    with tempfile.TemporaryDirectory() as scratch:
        args = TrainingArguments(
            output_dir=scratch,
            per_device_train_batch_size=16,
            max_steps=220,
            learning_rate=4e-3,
            warmup_steps=20,
            lr_scheduler_type="cosine",
            weight_decay=0.01,
            max_grad_norm=1.0,
            logging_steps=55,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            seed=SEED,
        )
        trainer = Trainer(model=model, args=args, train_dataset=train_set, data_collator=collate, callbacks=[PrintLoss()])
        trainer.train()
    print(f"METRIC accuracy {predictable_accuracy(model, test_set):.4f}")


if __name__ == "__main__":
    main()
