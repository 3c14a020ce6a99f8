"""Compares the token search with SQLite's FTS5 on descriptions of Debian packages, and prints tables in Markdown.

    swift build -c release --product searchbench
    python3 -m Tests.search [--lists DIRECTORY] [--languages en,ja] [--queries 200]

Precision: the part of the hits that are right. Recall: the part of the right documents that are hits. Both are averages
over the searches; a search without hits has precision 1. The overlap of the ten best is over the searches for which
both have at least ten.
"""

import argparse
import json
import random
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from Tests.search import corpus

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {"en": "English", "ja": "Japanese", "zh_CN": "Chinese", "ko": "Korean"}


class Ours:
    name = "TextSearch"

    def __init__(self, tool, texts):
        self.tool, self.file = tool, corpus.write_lines(texts)

    def speed(self):
        command = [self.tool, "--speed", self.file.name]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def answers(self, searches):
        with corpus.write_lines(" ".join(words) for words in searches) as queries:
            output = subprocess.run([self.tool, self.file.name, queries.name], check=True, capture_output=True).stdout
        found = [json.loads(line) for line in output.decode().splitlines()]
        return [(set(one["hits"]), one["top"]) for one in found]


class FTS5:
    def __init__(self, name, tokenizer, suffix, texts):
        self.name, self.suffix = name, suffix
        self.base = sqlite3.connect(":memory:")
        self.base.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='{tokenizer}')")
        self.base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", enumerate(texts))
        self.base.execute("INSERT INTO texts(texts) VALUES ('optimize')")
        self.base.commit()

    def size(self):
        self.base.execute("VACUUM")
        pages, size = (self.base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return pages * size

    def answers(self, searches):
        return [self.answer(" ".join(f'"{word}"{self.suffix}' for word in words)) for words in searches]

    def answer(self, text):
        rows = self.base.execute("SELECT rowid FROM texts(?) ORDER BY bm25(texts), rowid", [text])
        order = [row[0] for row in rows]
        return set(order), order[:10]


def average(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def row(name, searches, right, answers, ours):
    """Returns a row of a table: the quality of the answers, and how they agree with ours."""
    hits = [answer[0] for answer in answers]
    precision = average(len(hit & true) / len(hit) if hit else 1 for hit, true in zip(hits, right))
    recall = average(len(hit & true) / len(true) for hit, true in zip(hits, right))
    empty = sum(not hit for hit in hits)
    tops = [(set(mine[1]), set(other[1])) for mine, other in zip(ours, answers)]
    tops = [(mine, other) for mine, other in tops if len(mine) == len(other) == 10]
    overlap = average(len(mine & other) / 10 for mine, other in tops)
    return f"| {name} | {precision:.3f} | {recall:.3f} | {empty} of {len(searches)} | {overlap:.2f} ({len(tops)}) |"


def compare(language, arguments, lists):
    texts = corpus.documents(lists, language)
    folded = [corpus.fold(text) for text in texts]
    words = corpus.searches(folded, language, arguments.queries)
    right = {word: corpus.truth(folded, word, language) for word in words}
    ours = Ours(arguments.tool, texts)
    engines = [ours, FTS5("FTS5 unicode61", "unicode61 remove_diacritics 2", "", texts),
               FTS5("FTS5 trigram", "trigram", "", texts)]
    if language == "ko":
        engines.insert(2, FTS5("FTS5 unicode61, as prefix", "unicode61 remove_diacritics 2", "*", texts))
    chance = random.Random(35)
    pairs = []
    while len(pairs) < arguments.queries // 2:
        pair = chance.sample(words, 2)
        if right[pair[0]] & right[pair[1]]:
            pairs.append(pair)
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"\n## {LANGUAGES[language]}: {len(texts)} documents, {size:.1f} MB\n")
    for title, searches in (("word", [[word] for word in words]), ("pair", pairs)):
        truths = [set.intersection(*(right[word] for word in search)) for search in searches]
        print(f"| {title} | precision | recall | without hits | overlap of the ten best (searches) |")
        print("|---|---|---|---|---|")
        mine = ours.answers(searches)
        for engine in engines:
            answers = mine if engine is ours else engine.answers(searches)
            print(row(engine.name, searches, truths, answers, mine))
        print()
    speed = ours.speed()
    count = speed["documents"]
    print(f"{speed['tokens'] / count:.1f} tokens and {speed['postings'] / count:.1f} different terms per document; "
          f"MB/s of CPU: cutting {speed['cutMBps']}, postings {speed['postingsMBps']}, matching {speed['matchMBps']}")
    for engine in engines:
        if engine is not ours:
            print(f"{engine.name}: {engine.size() / 1e6:.1f} MB without texts")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lists", help="a directory for the corpora, kept for the next run")
    parser.add_argument("--tool", default=str(ROOT / ".build/release/searchbench"))
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lists = corpus.fetch(arguments.lists or folder)
        for language in arguments.languages.split(","):
            compare(language, arguments, lists)


if __name__ == "__main__":
    main()
