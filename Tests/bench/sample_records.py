"""The posts that the read and write scenarios use: seven fields, about 400 bytes of JSON."""
import base64
import random

from Tests.harness.client import Client

WORDS = ("sea harbour lantern orchard meadow river granite window copper quiet evening signal paper garden summit "
         "cloud ember north letter violet basin timber anchor morning").split()


def fields(number: int) -> dict:
    """The fields of post `number`; the same number gives the same fields."""
    chance = random.Random(number)
    text = " ".join(chance.choice(WORDS) for _ in range(26))
    return {
        "title": " ".join(chance.choice(WORDS) for _ in range(4)).ljust(28, "."),
        "body": text.ljust(180, ".")[:180],
        "author": f"writer-{number % 100:03}",
        "likes": chance.randrange(100, 1000),
        "rating": chance.randrange(10, 50) / 10 + 0.05,
        "publishedAt": {"value": 1_700_000_000_000 + number, "type": "TIMESTAMP"},
        "tags": [chance.choice(WORDS) for _ in range(3)],
    }


def create_operation(number: int, type_name: str = "Post") -> dict:
    """A `create` of a batch; the server makes the name."""
    return {"operationType": "create", "record": {"recordType": type_name, "fields": fields(number)}}


def seed(client: Client, count: int, batch: int = 200) -> list[str]:
    """Creates posts in batches and returns the names that the server made."""
    names = []
    for start in range(0, count, batch):
        made = client.batch([create_operation(number) for number in range(start, min(start + batch, count))])
        names += [record["recordName"] for record in made]
    return names


def image(size: int) -> str:
    """`size` bytes that do not compress, in base64."""
    return base64.b64encode(random.Random(size).randbytes(size)).decode()
