"""Executes the code cells of a notebook one after the other, as a kernel would, where it lies."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    notebook = json.load(f)
try:
    import nbformat
except ImportError:  # old environments
    pass
else:
    nbformat.validate(nbformat.from_dict(notebook))
names = {"__name__": "__main__"}
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        print("==", cell["id"], flush=True)
        exec(compile(cell["source"], cell["id"], "exec"), names)
