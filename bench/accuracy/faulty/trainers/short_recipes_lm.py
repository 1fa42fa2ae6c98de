# fault: mostly-padding
# cause_class: data-loading, structure, loss
# family: trainers
# split: held
# set: lynx, unseen
# needs: transformers, accelerate
import os
import random
import tempfile
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, default_data_collator, set_seed

set_seed(int(os.environ.get("SEED", 0)))

VERBS = "chop fry boil bake stir peel roast grate".split()
FOODS = "onion carrot egg rice bread leek potato cheese garlic bean".split()
HOWS = "slowly well twice gently quickly".split()
TAILS = {"chop": "board", "fry": "pan", "boil": "pot", "bake": "oven", "stir": "spoon", "peel": "knife", "roast": "oven", "grate": "bowl"}


def line():
    v = random.choice(VERBS)
    s = [v, "the", random.choice(FOODS)]
    if random.random() < 0.5:
        s.append(random.choice(HOWS))
    return s + ["use", TAILS[v]]


corpus = [line() for _ in range(1200)]
vocab = {"<|endoftext|>": 0}
for s in corpus:
    for w in s:
        vocab.setdefault(w, len(vocab))


class Tokenizer:
    # GPT-2 has no pad token
    eos_token_id = 0
    pad_token_id = 0

    def __call__(self, words, max_length, padding="max_length"):
        ids = [vocab[w] for w in words] + [self.eos_token_id]
        mask = [1] * len(ids) + [0] * (max_length - len(ids))
        ids = ids + [self.pad_token_id] * (max_length - len(ids))
        return {"input_ids": ids, "attention_mask": mask}


class Recipes(Dataset):
    def __init__(self, lines, tokenizer, block_size=96):
        self.examples = []
        for words in lines:
            enc = tokenizer(words, max_length=block_size)
            enc["labels"] = list(enc["input_ids"])
            self.examples.append(enc)

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, i):
        return self.examples[i]


tok = Tokenizer()
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(vocab), n_positions=96, n_embd=32, n_layer=2, n_head=2,
                                   bos_token_id=0, eos_token_id=0, pad_token_id=0))
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, per_device_train_batch_size=8, max_steps=150, learning_rate=1e-3,
                             lr_scheduler_type="cosine", warmup_steps=10, logging_steps=15, save_strategy="no",
                             report_to="none", use_cpu=True, disable_tqdm=True, seed=int(os.environ.get("SEED", 0)))
    trainer = Trainer(model=model, args=args, train_dataset=Recipes(corpus[:1000], tok),
                      eval_dataset=Recipes(corpus[1000:1080], tok), data_collator=default_data_collator)
    trainer.train()
    print(trainer.evaluate())

model.eval()
inv = {i: w for w, i in vocab.items()}
prompt = torch.tensor([[vocab["fry"], vocab["the"]]])
with torch.no_grad():
    for _ in range(6):
        prompt = torch.cat([prompt, model(prompt).logits[:, -1:].argmax(-1)], 1)
print(" ".join(inv[int(i)] for i in prompt[0]))
