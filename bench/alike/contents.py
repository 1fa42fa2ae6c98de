"""What stands in checkpoints, read without loading them: names of globals in pickles, a digest of each member of an archive.

Standard input: a JSON list of files. Standard output: {file: {member or property: value}} of those that are checkpoints.
"""

import hashlib
import io
import json
import pickletools
import sys
import zipfile


def names(data):
    """Names of all that pickles would import, one after the other in data."""
    file, found, strings, memo = io.BytesIO(data), set(), [], {}
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
        except Exception:
            break  # what follows is no pickle: tensors of the older format
    return " ".join(sorted(found))


def archive(data):
    out = {}
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            member = name.partition("/")[2] or name
            if member == ".data/serialization_id":
                continue  # says which file this is
            inside = file.read(name)
            out[member] = hashlib.sha256(inside).hexdigest()
            if member.endswith(".pkl"):
                out["names in " + member] = names(inside)
    return out


def contents(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"PK":
        return archive(data)
    if data[:1] == b"\x80":
        return {"names": names(data)}
    return None


found = {path: contents(path) for path in json.load(sys.stdin)}
json.dump({path: what for path, what in found.items() if what}, sys.stdout)
