"""The submissions that the bench judges: known ones, and the same again under changed names and comments."""

from __future__ import annotations

import ast
import io
import random
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOLUTION = ROOT / "solution" / "tensor_parallel_mlp.py"
KNOWN = ROOT / "tests" / "submissions" / "tensor_parallel_mlp"
VERDICTS = ("accepted", "rule_violation", "wrong_answer", "runtime_error", "compile_error")
"""Those that time or memory limits stop are left out: they take as long as the limit says."""


def known() -> list[Path]:
    """Known submissions, the verdicts taken in turn, so that any number of them is a mixture.

    Files that deadlock real devices take as long as XLA waits for them, and are left out too.
    """
    piles = [sorted((KNOWN / verdict).glob("*.py")) for verdict in VERDICTS]
    # As in a class: for one file that cannot be loaded there are several that are right, or break a rule.
    turns = (0, 1, 2, 0, 1, 3, 0, 1, 2, 4)
    chosen: list[Path] = []
    at = [0] * len(piles)
    while any(at[pile] < len(piles[pile]) for pile in range(len(piles))):
        for pile in turns:
            if at[pile] < len(piles[pile]):
                chosen.append(piles[pile][at[pile]])
                at[pile] += 1
    return [each for each in chosen if "deadlock" not in each.read_text("utf-8", "replace").lower()]


def fill(folder: Path, count: int) -> list[Path]:
    """Write ``count`` submissions: half of them known ones, half the same with other names and comments, shuffled."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    places = random.Random(0).sample(range(count + 1), count + 1)
    originals = known()
    for number in range((count + 1) // 2):
        path = originals[number % len(originals)]
        source = path.read_bytes()
        for suffix, content in (("", source), ("_again", renamed(source, number))):
            target = folder / f"{places[len(made)]:05d}_{path.stem}{suffix}.py"
            target.write_bytes(content)
            made.append(target)
    for extra in made[count:]:
        extra.unlink()
    return sorted(made[:count])


def renamed(source: bytes, number: int) -> bytes:
    """The same program with other names for what functions assign, and more comments."""
    try:
        text = source.decode()
        names = assigned(ast.parse(text))
        tokens = []
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and token.string in names:
                token = token._replace(string=f"{token.string}_{number}")
            tokens.append(token[:2])
        changed = tokenize.untokenize(tokens)
        compile(changed, "changed", "exec")
    except (SyntaxError, UnicodeDecodeError, tokenize.TokenError, ValueError):
        return source + f"\n# handed in again, {number}\n".encode()
    return f"# Handed in by number {number}.\n\n{changed}\n# That is all.\n".encode()


def assigned(tree: ast.Module) -> set[str]:
    """Names that functions assign and that mean nothing else anywhere in the file."""
    local: set[str] = set()
    other: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                other.add(node.name)
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                        local.add(inner.id)
            case ast.ClassDef():
                other.add(node.name)
            case ast.arg():
                other.add(node.arg)
            case ast.keyword() if node.arg:
                other.add(node.arg)
            case ast.Attribute():
                other.add(node.attr)
            case ast.alias():
                other.update((node.asname or node.name).split("."))
            case ast.ImportFrom() if node.module:
                other.update(node.module.split("."))
            case ast.Global() | ast.Nonlocal():
                other.update(node.names)
            case ast.Constant() if isinstance(node.value, str):
                other.update(node.value.split())
    for node in tree.body:
        for inner in ast.walk(node) if not isinstance(node, ast.FunctionDef) else ():
            if isinstance(inner, ast.Name):
                other.add(inner.id)
    return local - other
