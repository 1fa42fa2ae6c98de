"""Which function an instruction calls, by the names in the byte code before it: one that is written in C has no frame on a stack.

Only code of the user's own is looked at, and no value of anything.
"""

import dis
import os

_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_CALLS = ("CALL", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_KW", "CALL_METHOD", "PRECALL")
_WITH_NAMES = ("CALL_FUNCTION_KW", "CALL_KW")  # of the arguments, which lie on top of these
_BESIDE = ("CACHE", "KW_NAMES", "NOP", "PUSH_NULL")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK", "LOAD_DEREF")
MOST_CODES = 50  # functions that are looked at
LONGEST = 50000  # bytes of one


class Callees(object):
    """Each function's instructions are read once."""

    def __init__(self):
        self.read = {}  # id of a code object -> its instructions

    def of(self, code, at):
        """"torch.tensor" where the instruction at an offset calls that; "" where it calls nothing, or what it calls cannot be told."""
        file = code.co_filename
        if file.startswith(("<", _LIBRARY)) or any(part in file for part in _INSTALLED) or len(code.co_code) > LONGEST:
            return ""
        if id(code) not in self.read:
            if len(self.read) >= MOST_CODES:
                return ""
            self.read[id(code)] = list(dis.get_instructions(code))
        try:
            return _called([i for i in self.read[id(code)] if i.offset <= at])
        except (IndexError, TypeError, ValueError):
            return ""  # of an interpreter with other instructions


def _called(before):
    """What the last of these instructions calls: the one before its arguments has put it on the stack."""
    call = before.pop()
    if call.opname not in _CALLS:
        return ""
    if call.opname == "CALL" and before[-1].opname == "PRECALL":
        before.pop()
    above = call.arg + (call.opname in _WITH_NAMES)
    while above > 0 or before[-1].opname in _BESIDE:
        i = before.pop()
        if above == 0 or i.opname == "KW_NAMES":
            continue
        if i.opname.startswith("JUMP_BACKWARD"):  # the end of a comprehension
            while before[-1].offset != i.argval:
                before.pop()
            i = before.pop()
            if i.opname != "FOR_ITER":
                return ""
            above -= dis.stack_effect(i.opcode, i.arg, jump=True)
        elif "JUMP" in i.opname:
            return ""
        else:
            above -= dis.stack_effect(i.opcode, i.arg, jump=False)
    return _name(before) if above == 0 else ""


def _name(before):
    """What the last of these instructions loads: a name, or an attribute of what the ones before it do."""
    i = before.pop()
    if i.opname in _LOADS:
        return i.argval
    if i.opname not in _ATTRIBUTES:
        return ""
    owner = _name(before) if before else ""
    return owner + "." + i.argval if owner else i.argval
