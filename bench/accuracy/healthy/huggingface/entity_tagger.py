# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
"""Named entities: word pieces after the first and the padding carry -100; nine words in ten are O."""
import os
import tempfile

import torch
from torch import nn
from transformers import BertConfig, BertForTokenClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)
TAGS = ["O", "PER", "ORG"]
VOCAB, MAX_LEN = 160, 24


def sentence(g):
    n = int(torch.randint(5, 16, (1,), generator=g))
    tags = torch.multinomial(torch.tensor([0.86, 0.07, 0.07]), n, replacement=True, generator=g)
    ids, labels = [1], [-100]
    for t in tags.tolist():
        low = {0: 60, 1: 10, 2: 30}[t]
        ids.append(low + int(torch.randint(0, 100 if t == 0 else 20, (1,), generator=g)))
        labels.append(t)
        if torch.rand(1, generator=g) < 0.3:
            ids.append(2)
            labels.append(-100)
    return {"input_ids": ids, "labels": labels}


def collate(rows):
    width = max(len(r["input_ids"]) for r in rows)
    pad = lambda v, fill: v + [fill] * (width - len(v))
    return {"input_ids": torch.tensor([pad(r["input_ids"], 0) for r in rows]),
            "attention_mask": torch.tensor([pad([1] * len(r["input_ids"]), 0) for r in rows]),
            "labels": torch.tensor([pad(r["labels"], -100) for r in rows])}


class WeightedTrainer(Trainer):
    weights = torch.tensor([0.4, 2.5, 2.5])

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        out = model(**inputs)
        loss = nn.functional.cross_entropy(out.logits.flatten(0, 1), labels.flatten(), weight=self.weights,
                                           ignore_index=-100)
        return (loss, out) if return_outputs else loss


g = torch.Generator().manual_seed(SEED)
train, valid = [sentence(g) for _ in range(1200)], [sentence(g) for _ in range(200)]
model = BertForTokenClassification(BertConfig(
    vocab_size=VOCAB, hidden_size=40, num_hidden_layers=2, num_attention_heads=4, intermediate_size=80,
    max_position_embeddings=40, num_labels=len(TAGS)))
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(), num_train_epochs=3, per_device_train_batch_size=24, learning_rate=1e-3,
    warmup_steps=10, logging_steps=25, eval_strategy="epoch", save_strategy="no", report_to=[], use_cpu=True,
    disable_tqdm=True, remove_unused_columns=False, seed=SEED)
trainer = WeightedTrainer(model=model, args=args, train_dataset=train, eval_dataset=valid, data_collator=collate)
trainer.train()
model.eval()
batch = collate(valid)
labels = batch.pop("labels")
with torch.no_grad():
    guess = model(**batch).logits.argmax(-1)
for k, tag in enumerate(TAGS):
    mask = labels == k
    print(tag, "recall", round((guess[mask] == k).float().mean().item(), 3))
