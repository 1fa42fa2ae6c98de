# fault: inputs-constant
# cause_class: data-scaling, data-loading, structure, activation
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import random
import tempfile

import torch
from transformers import (DataCollatorWithPadding, BertConfig, BertForSequenceClassification, PreTrainedTokenizerBase,
                          Trainer, TrainingArguments, set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
GOOD = "great lovely superb crisp friendly quick warm fresh".split()
BAD = "awful slow broken rude stale noisy dirty cold".split()
FILL = "the a room staff was is very and we our food place night bed lamp door street".split()


def review(rng):
    y = rng.randrange(2)
    words = [rng.choice(FILL) for _ in range(10)]
    for i in rng.sample(range(10), 3):
        words[i] = rng.choice(GOOD if y else BAD)
    return " ".join(w.upper() if rng.random() < 0.3 else w for w in words), y


class WordTokenizer:
    PAD, UNK, CLS = 0, 1, 2

    def __init__(self, texts):
        words = sorted({w.lower() for t in texts for w in t.split()})
        self.vocab = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2}
        self.vocab.update({w: i + 3 for i, w in enumerate(words)})

    def __len__(self):
        return len(self.vocab)

    def __call__(self, text):
        ids = [self.CLS] + [self.vocab.get(w.upper(), self.UNK) for w in text.split()]
        return {"input_ids": ids, "attention_mask": [1] * len(ids)}


rng = random.Random(SEED)
pairs = [review(rng) for _ in range(1500)]
tok = WordTokenizer([t for t, _ in pairs])
rows = [dict(tok(t), labels=y) for t, y in pairs]


def collate(batch):
    return {k: torch.tensor([b[k] for b in batch]) for k in batch[0]}


model = BertForSequenceClassification(BertConfig(
    vocab_size=len(tok), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
    max_position_embeddings=16, num_labels=2, pad_token_id=0))
with tempfile.TemporaryDirectory() as d:
    args = TrainingArguments(output_dir=d, max_steps=200, per_device_train_batch_size=16, learning_rate=1e-3,
                             logging_steps=25, report_to="none", save_strategy="no", disable_tqdm=True, seed=SEED,
                             use_cpu=True)
    t = Trainer(model=model, args=args, train_dataset=rows[:1200], eval_dataset=rows[1200:], data_collator=collate,
                compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())})
    t.train()
    print(t.evaluate())
