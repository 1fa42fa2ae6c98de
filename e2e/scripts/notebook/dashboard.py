"""Runs a notebook in a real Jupyter kernel that shows the dashboard: what lies in the notebook lets one browser in, while the kernel lives."""

import http.cookiejar
import re
import sys
import time
import urllib.error
import urllib.request

import nbformat
from nbclient import NotebookClient

CELLS = ["import vigil", "vigil.ui(notebook='http://localhost:8888')"]


def enter(address):
    """The status of the answer to a new browser."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    try:
        with browser.open(address, timeout=60) as answer:
            return answer.status, answer.headers["Content-Security-Policy"]
    except urllib.error.HTTPError as refused:
        return refused.code, ""


notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
client = NotebookClient(notebook, timeout=100, kernel_name="python3")
with client.setup_kernel():
    for number, cell in enumerate(notebook.cells):
        client.execute_cell(cell, number)
    (shown,) = [o["data"] for o in notebook.cells[1].outputs]
    address = re.search(r"http://\S+", shown["text/plain"]).group()
    if '<iframe src="%s"' % address.replace("127.0.0.1", "localhost") not in shown["text/html"]:
        sys.exit("no frame is shown: %r" % (shown,))
    status, policy = enter(address)
    if status != 200 or not policy.endswith("frame-ancestors http://localhost:8888"):
        sys.exit("the first browser: %d, %s" % (status, policy))
    deadline = time.monotonic() + 60
    while enter(address)[0] == 200:  # a browser may ask twice
        if time.monotonic() > deadline:
            sys.exit("another browser is let in with the same address")
        time.sleep(1)
deadline = time.monotonic() + 60
while True:
    try:
        enter(address)
    except urllib.error.URLError:
        break
    if time.monotonic() > deadline:
        sys.exit("the dashboard has not ended with the kernel")
    time.sleep(0.1)
print("done")
