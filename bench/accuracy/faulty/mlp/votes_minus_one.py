# fault: labels-outside-range
# cause_class: labels, loss
# family: mlp
# split: tune
# twin: healthy/twins/votes_minus_one.py
import os
import torch
torch.manual_seed(int(os.environ.get("SEED", 0)))

# members' answers to 25 questions, party is -1 or 1
party = torch.randint(0, 2, (1200, 1)) * 2. - 1
lean = torch.randn(25)
answers = torch.sign(party * lean + 1.2 * torch.randn(1200, 25))

model = torch.nn.Sequential(torch.nn.Linear(25, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
criterion = torch.nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
for epoch in range(8):
    for i in range(0, 1200, 40):
        a, p = answers[i:i + 40], party[i:i + 40]
        optimizer.zero_grad()
        loss = criterion(model(a), p)
        loss.backward()
        optimizer.step()
    print("pass", epoch, "loss", loss.item())
