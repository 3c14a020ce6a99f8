"""Texts and searches for comparing tokenizers: descriptions of Debian packages.

`apt-get update` fetches the files when it is asked for the languages; it keeps them apart from the system's lists.
"""

import random
import re
import subprocess
import tempfile
import unicodedata
from pathlib import Path

KANJI, KATAKANA, HANGUL = "[一-鿿々]+", "[ァ-ヴー]{2,}", "[가-힣]{2,}"
LATIN = r"(?<![^\W_])[a-z]{3,}(?![^\W_])"
# The runs that words are taken from, and how many letters a word has at least and at most.
WORDS = {"en": ((LATIN, 3, 40),), "ja": ((KANJI, 1, 5), (KATAKANA, 2, 8)), "zh_CN": ((KANJI, 1, 5),),
         "ko": ((HANGUL, 2, 4),)}


def fetch(folder):
    """Fetches the translated descriptions into a folder, if it is empty."""
    lists = Path(folder)
    if not list(lists.glob("*Translation-*")):
        for name in ("partial", "parts"):
            (lists / name).mkdir(parents=True, exist_ok=True)
        options = {"Dir::State::lists": lists, "Dir::Etc::sourceparts": lists / "parts",
                   "Dir::Etc::sourcelist": "/etc/apt/sources.list.d/debian.sources",
                   "Acquire::Languages::": "none", "Acquire::Languages": ",".join(WORDS)}
        subprocess.run(["apt-get", "-qq", "update", *(f"-o{key}={value}" for key, value in options.items())],
                       check=True)
    return lists


def documents(lists, language):
    """Returns the descriptions in a language: a line for each package."""
    name = language.replace("_", "%5f")
    file = max(lists.glob(f"*_main_i18n_Translation-{name}*"), key=lambda file: file.stat().st_size)
    text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", str(file)], check=True, capture_output=True)
    found = {}
    for stanza in text.stdout.decode().split("\n\n"):
        head, _, body = stanza.partition(f"Description-{language}: ")
        if body:
            key = re.search("^Package: (.*)$", head, re.M)[1]
            found.setdefault(key, joined(body.split("\n")))
    return [found[key] for key in sorted(found)]


def joined(lines):
    """Joins the lines of a paragraph. Scripts without spaces get none at the end of a line."""
    text = lines[0].strip()
    for line in (line.strip() for line in lines[1:]):
        if line in ("", "."):
            text += " "
        else:
            is_wrapped = text and ord(text[-1]) >= 0x2E80 and ord(line[0]) >= 0x2E80
            text += line if is_wrapped and not HANGUL_LETTER.match(text[-1]) else " " + line
    return " ".join(text.split())


HANGUL_LETTER = re.compile("[가-힣]")


def fold(text):
    return unicodedata.normalize("NFKC", text).casefold()


def searches(folded, language, count):
    """Returns words of random documents, each once. In scripts without spaces they are parts of runs."""
    chance = random.Random(34)
    words = {}
    while len(words) < count:
        pattern, low, high = chance.choice(WORDS[language])
        run = chance.choice(re.findall(pattern, chance.choice(folded)) or [""])
        if len(run) < low:
            continue
        length = len(run) if language == "en" else chance.randint(low, min(high, len(run)))
        # Korean words are followed by particles, so a word is the beginning of a run.
        start = 0 if language in ("en", "ko") else chance.randint(0, len(run) - length)
        words[run[start:start + length]] = True
    return list(words)


def truth(folded, word, language):
    """Returns the documents with a word: whole in English, anywhere in other languages."""
    if language != "en":
        return {number for number, text in enumerate(folded) if word in text}
    pattern = re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])")
    return {number for number, text in enumerate(folded) if word in text and pattern.search(text)}


def write_lines(lines):
    file = tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8")
    file.writelines(line + "\n" for line in lines)
    file.flush()
    return file
