#!/usr/bin/env python3
"""bind.py APPHOST PROGRAM: write a copy of an apphost that starts PROGRAM.dll
beside it, as the SDK does and as build-fixtures does for glibc."""
import os
import sys

MARK = (b"c3ab8ff13720e8ad9047dd39466b3c89"
        b"74e592c2fa383d4a3960714caef0c4f2")

host, program = sys.argv[1:]
with open(host, "rb") as file:
    data = file.read()
name = os.path.basename(program).encode() + b".dll"
if MARK not in data:
    sys.exit(f"bind.py: '{host}' has no place for a name")
with open(program, "wb") as file:
    file.write(data.replace(MARK, name.ljust(len(MARK), b"\0")))
os.chmod(program, 0o755)
