"""How a program tells what it did: a line `ok NAME` for each step, in order; the first failure ends it."""

import time
from typing import Callable


def run(steps: dict[str, Callable[[], None]]) -> None:
    for name, step in steps.items():
        step()
        print(f"ok {name}", flush=True)


def eventually(check: Callable[[], bool], what: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)
