"""What is in checkpoints, read without loading them: names of globals in pickles, a digest of each member of an archive.

Standard input: a JSON list of files. Standard output: {file: {member or property: value}} of those that are checkpoints.
"""

import hashlib
import io
import json
import pickletools
import sys
import zipfile


def pickled(data):
    """(names of all that pickles would import, a digest of them), one after the other in data.

    The digest leaves out the number that PyTorch gave a hook: it counts all hooks of the process.
    """
    file, found, strings, memo, digest, rest = io.BytesIO(data), set(), [], {}, hashlib.sha256(), 0
    while file.tell() < len(data):
        try:
            for op, arg, _ in pickletools.genops(file):
                if op.name in ("GLOBAL", "INST"):
                    found.add(arg.replace(" ", "."))
                elif op.name == "STACK_GLOBAL":
                    found.add(".".join(str(s) for s in strings[-2:]))
                elif "UNICODE" in op.name:
                    strings.append(arg)
                elif op.name == "MEMOIZE":
                    memo[len(memo)] = strings[-1] if strings else None
                elif op.name in ("PUT", "BINPUT", "LONG_BINPUT"):
                    memo[arg] = strings[-1] if strings else None
                elif op.name in ("GET", "BINGET", "LONG_BINGET"):
                    strings.append(memo.get(arg))
                elif "INT" in op.name and strings and str(strings[-1]).endswith("_hooks"):
                    digest.update(b"number of a hook")
                    continue
                digest.update(repr((op.name, arg)).encode())
            rest = file.tell()
        except Exception:
            break  # what follows is no pickle: tensors of the older format
    digest.update(data[rest:] if rest < len(data) else b"")
    return " ".join(sorted(found)), digest.hexdigest()


def archive(data):
    out = {}
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            member = name.partition("/")[2] or name
            if member == ".data/serialization_id":
                continue  # says which file this is
            inside = file.read(name)
            if member.endswith(".pkl"):
                out["names in " + member], out[member] = pickled(inside)
            else:
                out[member] = hashlib.sha256(inside).hexdigest()
    return out


def contents(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"PK":
        return archive(data)
    if data[:1] == b"\x80":
        names, digest = pickled(data)
        return {"names": names, "pickle": digest}
    return None


found = {path: contents(path) for path in json.load(sys.stdin)}
json.dump({path: what for path, what in found.items() if what}, sys.stdout)
