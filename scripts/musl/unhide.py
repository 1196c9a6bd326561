#!/usr/bin/env python3
"""Make hidden global symbols of relocatable ELF64 files visible: those of
Debian's static libgcc, of which a shared one is made for musl.
Usage: unhide.py FILE..."""
import struct
import sys

SYMTAB, GLOBAL_OR_WEAK, HIDDEN, VISIBILITY = 2, (1, 2), 2, 3
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        data = bytearray(file.read())
    sections, = struct.unpack_from("<Q", data, 0x28)
    size, number = struct.unpack_from("<HH", data, 0x3a)
    for at in range(sections, sections + number * size, size):
        kind, = struct.unpack_from("<I", data, at + 4)
        start, length = struct.unpack_from("<QQ", data, at + 0x18)
        if kind != SYMTAB:
            continue
        for symbol in range(start, start + length, 24):
            _, info, other, section = struct.unpack_from("<IBBH", data, symbol)
            if (info >> 4 in GLOBAL_OR_WEAK and section and
                    other & VISIBILITY == HIDDEN):
                data[symbol + 5] &= ~VISIBILITY
    with open(name, "wb") as file:
        file.write(data)
