# fault: learning-rate-too-high
# cause_class: learning-rate
# family: vision
# split: tune
# needs: transformers
# tiny ViT on 16x16 road-surface patches; hyperparameters taken over from the CNN run
import os
import torch
from transformers import ViTConfig, ViTForImageClassification, get_cosine_schedule_with_warmup, set_seed

set_seed(int(os.environ.get("SEED", 0)))

hp = {
    "lr": 0.3,
    "batch_size": 40,
    "epochs": 7,
    "warmup": 20,
    "weight_decay": 0.01,
}
SURFACE = {0: "asphalt", 1: "cobble", 2: "gravel", 3: "wet"}


def patches(n):
    y = torch.randint(0, 4, (n,))
    yy, xx = torch.meshgrid(torch.arange(16.), torch.arange(16.), indexing="ij")
    img = 0.3 * torch.randn(n, 3, 16, 16)
    ph = torch.rand(n, 1, 1) * 6.28
    img += ((y == 1).float().view(-1, 1, 1) * 0.7 * (torch.sin(yy * 1.57 + ph) * torch.sin(xx * 1.57 + ph))).unsqueeze(1)
    img += (y == 2).float().view(-1, 1, 1, 1) * 0.35 * torch.randn(n, 3, 16, 16)
    img += ((y == 3).float().view(-1, 1, 1) * 0.6 * torch.sin(yy * 0.4 + ph)).unsqueeze(1)
    return img, y


cfg = ViTConfig(image_size=16, patch_size=4, num_channels=3, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                intermediate_size=64, num_labels=4, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
model = ViTForImageClassification(cfg)
xtr, ytr = patches(1200)
xev, yev = patches(300)
steps = hp["epochs"] * (len(xtr) // hp["batch_size"])
optimizer = torch.optim.AdamW(model.parameters(), lr=hp["lr"], weight_decay=hp["weight_decay"])
schedule = get_cosine_schedule_with_warmup(optimizer, hp["warmup"], steps)

for epoch in range(hp["epochs"]):
    model.train()
    losses = []
    for idx in torch.randperm(len(xtr)).split(hp["batch_size"]):
        out = model(pixel_values=xtr[idx], labels=ytr[idx])
        out.loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        losses.append(out.loss.item())
    model.eval()
    with torch.no_grad():
        acc = (model(pixel_values=xev).logits.argmax(-1) == yev).float().mean().item()
    print({"epoch": epoch, "loss": round(sum(losses) / len(losses), 4), "eval_acc": round(acc, 4)})
