# %% setup
import numpy as np
from vigil.exceptions import TensorUnavailableForStep
from vigil.trial import create_trial, modes

try:
    from matplotlib import pyplot as plt
except ImportError:
    plt = None  # numbers are printed in place of pictures

trial = create_trial(run)


def curve(name):
    """The rounds at which a number was saved, and the numbers."""
    tensor = trial.tensor(name)
    rounds, values = [], []
    for step in tensor.steps(mode=modes.TRAIN):
        rounds.append(step)
        values.append(float(tensor.value(step, mode=modes.TRAIN)))
    return rounds, values


def arrays(name):
    """The values of a tensor by round, where they were saved."""
    out = {}
    if trial.has_tensor(name):
        for step in trial.tensor(name).steps(mode=modes.TRAIN):
            try:
                out[step] = np.asarray(trial.tensor(name).value(step, mode=modes.TRAIN))
            except TensorUnavailableForStep:
                pass
    return out


def draw(curves, x="round", y=""):
    """Draws {name: (xs, ys)}, or prints where each begins and ends."""
    if plt is None:
        for name, (xs, ys) in curves.items():
            print(f"{name}: {ys[0]:.6g} at {xs[0]:.6g}, {ys[-1]:.6g} at {xs[-1]:.6g}")
        return
    for name, (xs, ys) in curves.items():
        plt.plot(xs, ys, label=name)
    plt.xlabel(x)
    plt.ylabel(y)
    plt.legend()
    plt.show()


def bars(values, title=""):
    """Draws {name: value} as bars, or prints it."""
    if plt is None:
        print(title)
        for name, value in values.items():
            print(f"  {name}: {value:.6g}")
        return
    plt.barh([str(name) for name in values][::-1], list(values.values())[::-1])
    plt.title(title)
    plt.show()


def classes(predictions):
    """The class of each row: the column with the highest score, the number itself, or whether the score is above one half."""
    if predictions.ndim > 1 and predictions.shape[-1] > 1:
        return predictions.argmax(-1)
    flat = predictions.reshape(-1)
    if kind == "several classes":
        return flat.astype(int)
    margins = ((flat < 0) | (flat > 1)).any()
    return (flat > (0 if margins else 0.5)).astype(int)


labels, predictions = arrays("labels"), arrays("predictions")
rounds = sorted(set(labels) & set(predictions))

# %% labels
truth = labels[max(labels)].reshape(-1)
if kind in ("two classes", "several classes"):
    values, counts = np.unique(truth, return_counts=True)
    bars({f"class {value:g}": count for value, count in zip(values, counts)}, "labels")
else:
    counts, edges = np.histogram(truth, bins=20)
    bars({f"{low:.4g} to {high:.4g}": count for low, high, count in zip(edges, edges[1:], counts)}, "labels")

# %% metrics
draw({name: curve(name) for name in trial.tensor_names(collection="metrics")})

# %% importance
for way in ("weight", "gain", "cover"):
    prefix = f"feature_importance/{way}/"
    shares = {name[len(prefix):]: curve(name)[1][-1] for name in trial.tensor_names(regex="^" + prefix)}
    bars(dict(sorted(shares.items(), key=lambda item: -item[1])[:10]), way)

# %% confusion
truth, guess = labels[rounds[-1]].reshape(-1).astype(int), classes(predictions[rounds[-1]])
known = sorted(set(truth) | set(guess))
matrix = np.array([[((truth == i) & (guess == j)).sum() for j in known] for i in known])
print("classes", [int(k) for k in known], "\nrows are labels, columns predictions")
print(matrix)
print(f"{np.trace(matrix):,} of {len(truth):,} rows are correct")

# %% evaluation
for at, k in enumerate(known):
    hits, row, column = matrix[at, at], matrix[at].sum(), matrix[:, at].sum()
    precision, recall = hits / column if column else 0.0, hits / row if row else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    print(f"class {k}: precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}, support {row:,}")

# %% diagonal
right = {}
for k in known:
    points = [(step, (classes(predictions[step])[labels[step].reshape(-1) == k] == k).mean()) for step in rounds if (labels[step] == k).any()]
    if points:
        right[f"class {k}"] = tuple(zip(*points))
draw(right, y="recall")

# %% roc
scores, positive = predictions[rounds[-1]].reshape(-1), labels[rounds[-1]].reshape(-1) > 0.5
thresholds = np.unique(scores)[::-1]
found = np.array([0.0] + [(scores[positive] >= t).mean() for t in thresholds])
alarms = np.array([0.0] + [(scores[~positive] >= t).mean() for t in thresholds])
area = ((alarms[1:] - alarms[:-1]) * (found[1:] + found[:-1]) / 2).sum()
print(f"area under the curve: {area:.4f}")
draw({"ROC": (alarms, found), "random guessing": ([0, 1], [0, 1])}, "false positive rate", "true positive rate")

# %% residuals
residuals = predictions[rounds[-1]].reshape(-1) - labels[rounds[-1]].reshape(-1)
print(f"mean {residuals.mean():.6g}, deviation {residuals.std():.6g}")
counts, edges = np.histogram(residuals, bins=20)
bars({f"{low:.4g} to {high:.4g}": count for low, high, count in zip(edges, edges[1:], counts)}, "prediction - label")

# %% bins
truth = labels[rounds[-1]].reshape(-1)
edges = np.linspace(truth.min(), truth.max(), 11)
errors = {}
for low, high, last in zip(edges, edges[1:], [False] * 9 + [True]):
    points = []
    for step in rounds:
        y, p = labels[step].reshape(-1), predictions[step].reshape(-1)
        inside = (y >= low) & ((y < high) | last)
        if inside.any():
            points.append((step, np.abs(p - y)[inside].mean()))
    if points:
        errors[f"{low:.4g} to {high:.4g}"] = tuple(zip(*points))
draw(errors, y="mean absolute error")

# %% shap
for collection in ("average_shap", "full_shap"):
    sizes = {}
    for name in trial.tensor_names(collection=collection):
        saved = arrays(name)
        if saved:
            sizes[name.split("/", 1)[1]] = np.abs(saved[max(saved)]).mean()
    if sizes:
        bars(dict(sorted(sizes.items(), key=lambda item: -item[1])[:10]), f"{collection}: mean size of the contributions")

# %% settings
for name in trial.tensor_names(collection="hyperparameters"):
    print(f"{name.split('/', 1)[1]} = {curve(name)[1][-1]:g}")
