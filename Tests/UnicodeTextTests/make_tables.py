#!/usr/bin/env python3
"""Writes the tables of Sources/UnicodeText and the digests that its tests compare with.

The data are those of Unicode 17.0, from two packages of PyPI; neither the build nor the tests need them:

    python3 -m venv venv && venv/bin/pip install 'unicodedata2==17.*' regex
    venv/bin/python Tests/UnicodeTextTests/make_tables.py

NFKC_Casefold and the bases of letters with diacritics need tables: the standard library normalizes to NFC by itself,
and knows what is ignorable.
"""

import hashlib
import unicodedata
from pathlib import Path

import regex
import unicodedata2
from regex import _regex

ROOT = Path(__file__).resolve().parents[2]
FULL_CASE = regex.FULLCASE | regex.UNICODE | regex.IGNORECASE
IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
# Where scalars combine, decompose and fold. NormalizationTests.swift has the same.
SAMPLE = [
    (0x41, 0x5A), (0xA0, 0x24F), (0x300, 0x3FF), (0x591, 0x5C7), (0x900, 0xDFF), (0xF00, 0xFFF), (0x1100, 0x11FF),
    (0x1E00, 0x1FFF), (0x2100, 0x214F), (0x3040, 0x30FF), (0xAC00, 0xAC7F), (0xF900, 0xF9FF), (0xFB00, 0xFB4F),
    (0xFDF0, 0xFEFF), (0x11080, 0x110CF), (0x1D150, 0x1D1FF), (0x1D400, 0x1D4FF),
]
# The nonspacing marks of Latin, Greek, Cyrillic, Hebrew and Arabic, which change a letter's sound or stress. The marks
# of other scripts are vowels, or make another letter. String+Diacritics.swift has the same.
DIACRITICS = [
    (0x300, 0x36F), (0x483, 0x487), (0x591, 0x5BD), (0x5BF, 0x5BF), (0x5C1, 0x5C2), (0x5C4, 0x5C5), (0x5C7, 0x5C7),
    (0x610, 0x61A), (0x64B, 0x65F), (0x670, 0x670), (0x6D6, 0x6DC), (0x6DF, 0x6E4), (0x6E7, 0x6E8), (0x6EA, 0x6ED),
    (0x1AB0, 0x1ACE), (0x1DC0, 0x1DFF), (0x20D0, 0x20DC), (0x20E1, 0x20E1), (0x20E5, 0x20F0), (0xFE20, 0xFE2F),
]
GENERATED = "// Written by Tests/UnicodeTextTests/make_tables.py from Unicode %s. Do not edit.\n\n"


def is_assigned(scalar):
    return not 0xD800 <= scalar < 0xE000 and unicodedata2.category(chr(scalar)) != "Cn"


def case_fold(text):
    """Full case folding. `regex` has the newest, but folds I and U+0130 for Turkish too."""
    return "".join(
        char.casefold() if unicodedata.category(char) != "Cn" else _regex.fold_case(FULL_CASE, char) for char in text)


def nfkc_casefold(text):
    """The property NFKC_CF of one character (Unicode 5.18 and DerivedNormalizationProps.txt)."""
    text = unicodedata2.normalize("NFD", text)
    while True:
        folded = unicodedata2.normalize("NFKC", case_fold(unicodedata2.normalize("NFKC", case_fold(text))))
        folded = unicodedata2.normalize("NFC", IGNORABLE.sub("", folded))
        if folded == text:
            return text
        text = folded


def is_diacritic(char):
    return any(first <= ord(char) <= last for first, last in DIACRITICS)


def without_diacritics(text):
    parts = unicodedata2.normalize("NFD", text)
    return unicodedata2.normalize("NFC", "".join(char for char in parts if not is_diacritic(char)))


def runs_of(pairs):
    """Joins pairs of numbers that go up together, each source by one or each by two."""
    runs = []
    for source, target in pairs:
        if runs:
            start, count, stride, first = runs[-1]
            if count == 1 and source - start in (1, 2):
                stride = source - start
            if count < 128 and source == start + count * stride and target - first == source - start:
                runs[-1] = (start, count + 1, stride, first)
                continue
        runs.append((source, 1, 1, target))
    return runs


def pool_of(texts):
    """Returns one list of UTF-16 units that contains each text."""
    pool = ""
    for text in sorted(texts, key=lambda text: (-len(text), text)):
        if text not in pool:
            pool += text
    assert all(ord(char) < 0x10000 for char in pool)
    return pool


def array(name, type_name, comment, values):
    lines, line = [], "   "
    for value in values:
        word = f" {value:#x},"
        if len(line) + len(word) > 120:
            lines.append(line)
            line = "   "
        line += word
    lines.append(line)
    body = "\n".join(lines)
    return f"{comment}\nlet {name}: [{type_name}] = [\n{body}\n]\n"


def digest(texts):
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


class SplitMix64:
    """The generator of Tests/TestSupport/SeededGenerator.swift."""

    def __init__(self, seed):
        self.state = seed

    def next(self, bound):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        word = self.state
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & mask
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB & mask
        return (word ^ (word >> 31)) % bound


def random_texts(sample, count):
    random = SplitMix64(30)
    return ["".join(sample[random.next(len(sample))] for _ in range(1 + random.next(12))) for _ in range(count)]


def main():
    version = unicodedata2.unidata_version
    scalars = [scalar for scalar in range(0x110000) if is_assigned(scalar)]
    folded = {scalar: nfkc_casefold(chr(scalar)) for scalar in scalars}

    def to_nfc(text):
        return unicodedata2.normalize("NFC", text)

    def fold(text):
        return to_nfc("".join(folded.get(ord(char), char) for char in to_nfc(text)))

    # Scalars that canonical decomposition changes are gone before the table is used.
    entries = {
        scalar: text for scalar, text in folded.items()
        if text != chr(scalar) and not IGNORABLE.match(chr(scalar)) and to_nfc(chr(scalar)) == chr(scalar)}
    assert all(fold(chr(scalar)) == text for scalar, text in entries.items())
    runs = runs_of((scalar, ord(text)) for scalar, text in sorted(entries.items()) if len(text) == 1)
    longer = {scalar: text for scalar, text in sorted(entries.items()) if len(text) > 1}
    pool = pool_of(longer.values())
    header = GENERATED % version
    (ROOT / "Sources/UnicodeText/CasefoldRuns.swift").write_text(header + array(
        "casefoldRuns", "UInt64",
        "/// Scalars that become one other: from bit 29 the first of a run, in bit 28 whether it goes by twos, from\n"
        "/// bit 21 the count less one, from bit 0 what the first becomes. The others go up with it.",
        [start << 29 | (stride - 1) << 28 | (count - 1) << 21 | first for start, count, stride, first in runs]))
    (ROOT / "Sources/UnicodeText/CasefoldTexts.swift").write_text(header + array(
        "casefoldTexts", "UInt64",
        "/// Scalars that become several: from bit 24 the scalar, from bit 8 where its text begins in `casefoldPool`,\n"
        "/// from bit 0 its length.",
        [scalar << 24 | pool.index(text) << 8 | len(text) for scalar, text in longer.items()]) + "\n" + array(
        "casefoldPool", "UInt16", "/// What scalars of `casefoldTexts` become, in UTF-16.", map(ord, pool)))

    bases = {
        scalar: without_diacritics(chr(scalar)) for scalar in scalars
        if to_nfc(chr(scalar)) == chr(scalar) and not is_diacritic(chr(scalar))}
    bases = {scalar: text for scalar, text in bases.items() if text != chr(scalar)}
    assert all(len(text) == 1 for text in bases.values())
    (ROOT / "Sources/UnicodeText/DiacriticBases.swift").write_text(header + array(
        "diacriticBases", "UInt64",
        "/// Letters with diacritics: from bit 29 the first of a run, in bit 28 whether it goes by twos, from bit 21\n"
        "/// the count less one, from bit 0 the first letter without its diacritics. The others go up with it.",
        [start << 29 | (stride - 1) << 28 | (count - 1) << 21 | first for start, count, stride, first
         in runs_of((scalar, ord(text)) for scalar, text in sorted(bases.items()))]))

    contexts = [to_nfc(f"{chr(s)}a{chr(s)}\u0301\u0316{chr(s)}\u1161\u11a8{chr(s)}\u05b0\u3099") for s in scalars]
    sample = [chr(s) for first, last in SAMPLE for s in range(first, last + 1) if is_assigned(s)]
    texts = random_texts(sample, 20_000)
    (ROOT / "Tests/UnicodeTextTests/ExpectedDigests.swift").write_text(
        header + "/// SHA-256 of what Python makes of the same texts, joined by new lines.\nenum ExpectedDigests {\n" +
        "".join(f'    static let {name} = "{value}"\n' for name, value in [
            ("nfcOfContexts", digest(contexts)),
            ("casefoldOfScalars", digest(map(fold, map(chr, scalars)))),
            ("nfcOfRandomTexts", digest(map(to_nfc, texts))),
            ("casefoldOfRandomTexts", digest(map(fold, texts))),
            ("basesOfScalars", digest(map(without_diacritics, map(chr, scalars)))),
            ("basesOfRandomTexts", digest(map(without_diacritics, texts)))]) + "}\n")


if __name__ == "__main__":
    main()
