"""What the benches share: how often they measure, and what they print."""
import argparse
import re
import statistics
import time

import drive


def clock():
    return time.perf_counter() * 1000


def main(doc, groups, runs):
    """Print the medians of what the groups, functions of a test, measure:
    milliseconds by name, but where it ends in ", MB" or the like."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dndbg", default="./dndbg")
    parser.add_argument("--runtime", default="10")
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--only", help="one of " + ", ".join(
        group.__name__ for group in groups))
    options = parser.parse_args()
    for group in groups:
        if options.only not in (None, group.__name__):
            continue
        samples = {}
        for _ in range(options.runs):
            test = drive.Test(group.__name__, options.dndbg, options.runtime)
            try:
                for name, value in group(test).items():
                    samples.setdefault(name, []).append(value)
            finally:
                test.close()
        for name, taken in samples.items():
            unit = "" if re.search(", (M|of )", name) else " ms"
            print(f"{name:36} {statistics.median(taken):9.2f}{unit:3}"
                  f"   ({min(taken):.2f} .. {max(taken):.2f})")
