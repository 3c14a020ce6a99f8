"""The posts of all servers: seven fields, some 400 bytes of JSON; 100 threads whose posts are spread over the file."""
import random

from Tests.bench.sample_records import WORDS

THREADS = [f"thread-{number:03}" for number in range(100)]
# Posts that the load creates or deletes are in threads that no request reads.
NEW_THREAD, DOOMED_THREAD = "thread-new", "thread-doomed"
FIRST_TIMESTAMP = 1_700_000_000_000


def fields(number: int, thread: str) -> dict:
    """The fields of post `number`; the title and the text repeat after 64 posts."""
    title, body = TEXTS[number % len(TEXTS)]
    return {"title": title, "body": body, "author": f"writer-{number % 100:03}", "likes": number * 7919 % 100_003,
            "rating": number * 104_729 % 1_000 / 100 + 0.005, "thread": thread, "timestamp": FIRST_TIMESTAMP + number}


def _text(number: int) -> tuple[str, str]:
    chance = random.Random(number)
    title = " ".join(chance.choice(WORDS) for _ in range(4)).ljust(28, ".")
    return title, " ".join(chance.choice(WORDS) for _ in range(26)).ljust(180, ".")[:180]


TEXTS = [_text(number) for number in range(64)]
