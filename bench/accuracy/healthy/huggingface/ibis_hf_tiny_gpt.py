# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
V, L = 24, 20


class Chains(Dataset):
    """sequences in which every token follows from the last one, but for one jump in ten"""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        step = torch.randperm(V, generator=torch.Generator().manual_seed(99))
        x = [torch.randint(0, V, (n,), generator=g)]
        for _ in range(L - 1):
            jump = torch.rand(n, generator=g) < 0.1
            x.append(torch.where(jump, torch.randint(0, V, (n,), generator=g), step[x[-1]]))
        self.x = torch.stack(x, 1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "labels": self.x[i].clone()}


model = GPT2LMHeadModel(GPT2Config(vocab_size=V, n_positions=L, n_embd=32, n_layer=2, n_head=4, bos_token_id=0,
                                   eos_token_id=0))
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp, per_device_train_batch_size=16, per_device_eval_batch_size=64, max_steps=200,
        gradient_accumulation_steps=1, learning_rate=5e-3, lr_scheduler_type="cosine", warmup_steps=20,
        logging_steps=20, eval_strategy="steps", eval_steps=100, save_strategy="no", report_to=[], seed=SEED,
        use_cpu=True, disable_tqdm=True)
    trainer = Trainer(model=model, args=args, train_dataset=Chains(2000, SEED + 1), eval_dataset=Chains(128, SEED + 2))
    trainer.train()
    print(trainer.evaluate())
