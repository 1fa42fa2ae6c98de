"""Turns what a terminal shows (tmux capture-pane -e) into a page of the same look, for pictures in the documentation."""

import html
import re
import sys

COLOURS = ["#1c2330", "#e5534b", "#57ab5a", "#c69026", "#6cb6ff", "#b083f0", "#39c5cf", "#cdd9e5"]
BRIGHT = ["#768390", "#ff938a", "#8ddb8c", "#daaa3f", "#96d0ff", "#dcbdfb", "#76e3ea", "#ffffff"]


def style(codes, now):
    codes = [int(c or 0) for c in codes.split(";")]
    while codes:
        c = codes.pop(0)
        if c == 0:
            now.clear()
        elif c == 1:
            now["font-weight"] = "bold"
        elif c == 2:
            now["opacity"] = "0.65"
        elif 30 <= c <= 37:
            now["color"] = COLOURS[c - 30]
        elif 90 <= c <= 97:
            now["color"] = BRIGHT[c - 90]
        elif c == 39:
            now.pop("color", None)
        elif c == 22:
            now.pop("font-weight", None)
            now.pop("opacity", None)


def main():
    out, now = [], {}
    for part in re.split(r"(\x1b\[[0-9;]*m)", sys.stdin.read().rstrip("\n")):
        m = re.match(r"\x1b\[([0-9;]*)m", part)
        if m:
            style(m.group(1), now)
        elif part:
            css = ";".join("%s:%s" % kv for kv in now.items())
            out.append('<span style="%s">%s</span>' % (css, html.escape(part)))
    print(
        '<!doctype html><meta charset="utf-8"><body style="margin:0;background:#22272e;color:#adbac7">'
        '<pre style="margin:0;padding:18px 22px;font:14px/1.45 \'DejaVu Sans Mono\',monospace">%s</pre>' % "".join(out)
    )


main()
