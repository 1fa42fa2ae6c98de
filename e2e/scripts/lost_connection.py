"""A script whose hook loses its connection for a while, as on a machine under heavy load, and finds the agent again."""

import time

import vigil
from vigil import _connection, _session

for i in range(5):
    vigil.log({"x": i}, step=i)
link = _session.current()._link
reach, cut = _connection.dial, time.monotonic()


def unreachable(path):
    if time.monotonic() < cut + 2:
        raise OSError("not now")
    return reach(path)


_connection.dial = unreachable
_connection.hang_up(link.sock)
while time.monotonic() < cut + 2 or link.sock is None:
    time.sleep(0.05)
for i in range(5, 10):
    vigil.log({"x": i}, step=i)
