"""A linear model by NumPy alone: the script gives its loss and its weights itself."""

import numpy as np
import vigil

rng = np.random.default_rng(0)
x = rng.normal(size=(256, 8))
y = x @ np.arange(8.0) + 0.1 * rng.normal(size=256)
weights = np.zeros(8)

for step in range(200):
    error = x @ weights - y
    weights -= 0.1 * x.T @ error / len(x)
    vigil.log({"loss": (error**2).mean()}, step=step)
    if step % 50 == 0:
        vigil.save_tensor("weights", weights)
