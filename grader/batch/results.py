"""The results file: what was found of each submission, written as soon as it is known.

One SQLite file with two tables. ``entries`` lists the submissions of the latest run, by name, with the key of
what is to be judged. ``reports`` has a report for each key that was ever judged with this file: they outlive
runs, so nothing is judged twice. Every change is a transaction: whatever happens to this process or the
machine, the file holds what was recorded. Others may read the file meanwhile; a second run on it is refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from grader.batch.collect import Entry
from grader.errors import Unusable
from grader.report.model import Report, Verdict

APPLICATION = 0x67726472
"""Says that a SQLite file is one of these."""
VERSION = 1
BUSY_SECONDS = 20.0
"""How long a reader that holds the file may keep a result waiting."""

SCHEMA = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    place BLOB NOT NULL UNIQUE,  -- its absolute path
    name BLOB NOT NULL,          -- its path as it was named
    folder BLOB NOT NULL,
    path BLOB NOT NULL,
    kind TEXT NOT NULL,
    key TEXT,                    -- of what is to be judged; NULL when it cannot be
    reason TEXT                  -- why it cannot be judged
);
CREATE INDEX entries_key ON entries (key);
CREATE TABLE reports (
    key TEXT PRIMARY KEY,
    verdict TEXT NOT NULL,
    problem TEXT,
    programs TEXT,               -- digest of the traced programs
    seconds REAL NOT NULL,
    finished TEXT NOT NULL,      -- UTC
    report TEXT NOT NULL         -- JSON, version 1
) WITHOUT ROWID;
CREATE INDEX reports_programs ON reports (programs);
CREATE VIEW results AS
    SELECT CAST(name AS TEXT) AS submission, verdict, reason, problem, programs, seconds, finished, report
    FROM entries LEFT JOIN reports USING (key) ORDER BY entries.id;
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A submission and what is known of it."""

    entry: Entry
    id: int
    key: str | None
    report: bytes | None
    """JSON; None: not judged (yet)."""


class Results:
    """An open results file. A context manager. Every method raises `Unusable` when the file fails."""

    def __init__(self, path: Path) -> None:
        """Open it, or make it. Raises `Unusable`: in use, damaged, another kind of file, not writable."""
        self.path = path
        self.lock = Lock(path)
        try:
            with self.guarded():
                self.database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
                self.database.execute("PRAGMA synchronous = NORMAL")
                self.open()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(AttributeError, sqlite3.Error):
            self.database.close()
        self.lock.release()

    def open(self) -> None:
        tables = self.value("SELECT count(*) FROM sqlite_schema")
        if tables and self.value("PRAGMA application_id") != APPLICATION:
            raise Unusable(f"{self.path} is a database, but not of results. Name another file with --results.")
        if tables and self.value("PRAGMA user_version") != VERSION:
            raise Unusable(f"{self.path} was written by another version of grader. Name another with --results.")
        if not tables:
            # In one transaction, so that no half of it is ever there.
            self.database.executescript(
                f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {SCHEMA} COMMIT;"
            )
        elif (found := self.value("PRAGMA quick_check(1)")) != "ok":
            raise sqlite3.DatabaseError(found)

    def value(self, statement: str, parameters: tuple[object, ...] = ()) -> Any:
        """The first column of the first row; None when there is none."""
        row = self.database.execute(statement, parameters).fetchone()
        return None if row is None else row[0]

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Says in words what went wrong with the file."""
        try:
            yield
        except sqlite3.Error as error:
            raise Unusable(_words(self.path, error)) from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        with self.guarded():
            self.database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # it may have been rolled back already
                    self.database.execute("ROLLBACK")
                raise

    # ── what is to be judged ─────────────────────────────────────────────────────────────────────

    def replace_entries(self, entries: Iterable[tuple[Entry, str | None]]) -> None:
        """These, with their keys, are the submissions of this run. A file that comes twice counts once."""
        with self.transaction():
            self.database.execute("DELETE FROM entries")
            self.database.executemany(
                "INSERT OR IGNORE INTO entries (place, name, folder, path, kind, key, reason) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (os.path.abspath(each.name), each.name, each.folder, each.path, each.kind, key, each.reason)
                    for each, key in entries
                ),
            )

    def forget_faults(self) -> None:
        """Where the judge failed, it is to try again."""
        with self.transaction():
            self.database.execute("DELETE FROM reports WHERE verdict = ?", (Verdict.IE.value,))

    def forget_all(self) -> None:
        """The submissions of this run are to be judged again."""
        with self.transaction():
            self.database.execute("DELETE FROM reports WHERE key IN (SELECT key FROM entries)")

    def next_unjudged(self, after: int) -> Row | None:
        """The first entry behind ``after`` (an id) that has a key but no report."""
        return self.first(
            "WHERE entries.id > ? AND entries.key IS NOT NULL AND reports.key IS NULL ORDER BY entries.id LIMIT 1",
            (after,),
        )

    def first(self, condition: str, parameters: tuple[object, ...]) -> Row | None:
        with self.guarded():
            found = self.database.execute(f"{_ROWS} {condition}", parameters).fetchone()
        return None if found is None else _row(found)

    def set_key(self, id: int, key: str) -> None:
        """The file was changed since its key was taken."""
        with self.transaction():
            self.database.execute("UPDATE entries SET key = ? WHERE id = ?", (key, id))

    def set_reason(self, id: int, reason: str) -> None:
        """It turned out that it cannot be judged."""
        with self.transaction():
            self.database.execute("UPDATE entries SET key = NULL, reason = ? WHERE id = ?", (reason, id))

    def set_reasons(self, key: str, reason: str) -> None:
        """It turned out that none of the submissions with this key can be judged."""
        with self.transaction():
            self.database.execute("UPDATE entries SET key = NULL, reason = ? WHERE key = ?", (reason, key))

    # ── what was found ───────────────────────────────────────────────────────────────────────────

    def record(self, key: str, report: Report, rendered: bytes) -> None:
        """Keep a report; ``rendered`` is its JSON."""
        finished = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        row = (key, report.verdict.value, report.problem, report.programs, report.seconds, finished, rendered.decode())
        with self.transaction():
            self.database.execute("INSERT OR REPLACE INTO reports VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def verdict(self, key: str) -> str | None:
        """The verdict of the report that there is for this key."""
        with self.guarded():
            found: str | None = self.value("SELECT verdict FROM reports WHERE key = ?", (key,))
            return found

    def count(self, key: str) -> int:
        """How many entries have this key."""
        with self.guarded():
            return int(self.value("SELECT count(*) FROM entries WHERE key = ?", (key,)))

    def size(self) -> int:
        """How many entries there are."""
        with self.guarded():
            return int(self.value("SELECT count(*) FROM entries"))

    def unread(self) -> int:
        """How many entries cannot be judged."""
        with self.guarded():
            return int(self.value("SELECT count(*) FROM entries WHERE key IS NULL"))

    def rows(self) -> Iterator[Row]:
        """Every entry, in order, one at a time."""
        after = 0
        while (row := self.first("WHERE entries.id > ? ORDER BY entries.id LIMIT 1", (after,))) is not None:
            after = row.id
            yield row

    def verdicts(self) -> dict[str | None, int]:
        """How many entries have each verdict; under None those that have no report."""
        with self.guarded():
            found = self.database.execute(
                "SELECT verdict, count(*) FROM entries LEFT JOIN reports USING (key) GROUP BY verdict"
            )
            return dict(found.fetchall())

    def equal_programs(self) -> list[tuple[str, str, int, int]]:
        """For each digest that at least two entries have: it, a verdict, how many entries, how many files."""
        with self.guarded():
            return self.database.execute(
                "SELECT programs, min(verdict), count(*) AS entries, count(DISTINCT key) "
                "FROM entries JOIN reports USING (key) WHERE programs IS NOT NULL "
                "GROUP BY programs HAVING entries > 1 ORDER BY entries DESC, min(entries.id)"
            ).fetchall()

    def names(self, programs: str, most: int) -> list[bytes]:
        """The first entries whose programs have this digest."""
        with self.guarded():
            found = self.database.execute(
                "SELECT name FROM entries JOIN reports USING (key) WHERE programs = ? ORDER BY entries.id LIMIT ?",
                (programs, most),
            )
            return [name for (name,) in found]


_ROWS = (
    "SELECT entries.id, name, folder, path, kind, reason, entries.key, report "
    "FROM entries LEFT JOIN reports ON entries.key = reports.key"
)


def _row(found: tuple[Any, ...]) -> Row:
    id, name, folder, path, kind, reason, key, report = found
    return Row(Entry(name, folder, path, kind, reason), id, key, None if report is None else report.encode())


def decode(report: bytes) -> Report:
    """A report as it was recorded. Raises `msgspec.MsgspecError`."""
    return msgspec.json.decode(report, type=Report)


def _words(path: Path, error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return (
            f"{path} is locked by another program. What was recorded is kept; close that program and run the same "
            "command again."
        )
    if code == sqlite3.SQLITE_FULL:
        return (
            f"There is no room left to write to {path}. What was recorded is kept; make room and run the same "
            "command again."
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return f"{path} is damaged or no results file ({error}). It was left as it is; name another with --results."
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return f"{path} cannot be written ({error}). Name another file with --results."
    return f"{path} failed ({error}). What was recorded before is kept; run the same command again to go on."


class Lock:
    """One run at a time for each results file: a lock that the system takes back when its process ends."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f".{path.name}.lock")
        self.descriptor: int | None = None
        self.held = False
        try:
            while not self.held:
                self.held = self.taken()
        except BlockingIOError:
            self.release()
            raise Unusable(f"{path} is in use by another grader batch. Wait for it, or name another file.") from None
        except OSError as error:
            self.release()
            raise Unusable(f"{path} cannot be written: {error.strerror}.") from error

    def taken(self) -> bool:
        """Lock what the name stands for; False when it was removed meanwhile by the one before."""
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            if os.path.samestat(os.fstat(self.descriptor), os.stat(self.path)):
                return True
        except FileNotFoundError:
            pass
        os.close(self.descriptor)
        self.descriptor = None
        return False

    def release(self) -> None:
        if self.held:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
            self.held = False
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None
