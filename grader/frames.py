"""Messages over a pipe: each a four-byte big-endian length and so many bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator

LENGTH = 4


class TooLong(Exception):
    """A frame announced itself as longer than is allowed."""


def frame(data: bytes) -> bytes:
    return len(data).to_bytes(LENGTH, "big") + data


class Frames:
    """Puts frames together from chunks as they come; bytes of an unfinished frame wait."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.pending = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The frames that ``chunk`` completes. Raises `TooLong`."""
        self.pending += chunk
        start = 0
        try:
            while len(self.pending) - start >= LENGTH:
                size = int.from_bytes(self.pending[start : start + LENGTH], "big")
                if size > self.limit:
                    raise TooLong(f"a frame of {size:,} bytes")
                end = start + LENGTH + size
                if len(self.pending) < end:
                    return
                data = bytes(self.pending[start + LENGTH : end])
                start = end
                yield data
        finally:
            del self.pending[:start]


def read_all(descriptor: int) -> bytes:
    """Everything until the other end closes."""
    chunks = []
    while chunk := os.read(descriptor, 1 << 16):
        chunks.append(chunk)
    return b"".join(chunks)


def write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
