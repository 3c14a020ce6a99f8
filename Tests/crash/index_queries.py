"""Whether queries by indexes find and sort the same records as a filter over all records."""
import time
from random import Random

from Tests.crash.client import RecoveredState
from Tests.harness.client import Client, values
from Tests.harness.errors import Problem


def schema_of(client: Client, seconds: float = 20) -> dict:
    """The types with their indexes, once all of them are built."""
    limit = time.monotonic() + seconds
    while True:
        types = client.call("GET", "/schema").json()["types"]
        if "'building'" not in str(types):
            return types
        if time.monotonic() > limit:
            raise Problem(f"an index is still being built after {seconds:.0f} s")
        time.sleep(0.05)


def query_names(client: Client, kind: str, **query) -> list[str]:
    return [one["recordName"] for one in client.query(kind, fields=[], **query)]


def violations(client: Client, recovered: RecoveredState, types: dict, random: Random):
    """Sentences about queries by an index whose results differ from the records."""
    kinds: dict[str, dict[str, dict]] = {}
    for name, record in recovered.records.items():
        kinds.setdefault(record["recordType"], {})[name] = values(record)
    for kind, definition in types.items():
        records = kinds.get(kind, {})
        columns = {name for name, one in definition["fields"].items() if one.get("indexes")}
        columns |= {one["fields"][0].lstrip("-") for one in definition.get("indexes", [])}
        for column in sorted(columns & definition["fields"].keys()):
            is_list = definition["fields"][column]["type"].endswith("_LIST")
            there = {name: fields[column] for name, fields in records.items() if column in fields}
            members = sorted({one for value in there.values()
                              for one in (value if is_list else [value])
                              if not isinstance(one, str) or len(one) < 500}, key=repr)
            for value in random.sample(members, min(3, len(members))):
                predicate = f"{column} CONTAINS %@" if is_list else f"{column} == %@"
                found = query_names(client, kind, where=predicate, args=[value])
                expected = {name for name, one in there.items() if (value in one if is_list else value == one)}
                if sorted(found) != sorted(expected):
                    wrong = sorted(set(found) ^ expected)[:5]
                    yield f"{kind} where {column} is {value!r} found {len(found)} of {len(expected)}: {wrong}"
            if not is_list and definition["fields"][column]["type"] in ("INT64", "DOUBLE"):
                found = query_names(client, kind, sort=column)
                order = [(column in records.get(name, {}), records.get(name, {}).get(column, 0)) for name in found]
                if sorted(found) != sorted(records) or order != sorted(order):
                    is_sorted = order == sorted(order)
                    yield f"{kind} sorted by {column} gave {len(found)} of {len(records)}, in order: {is_sorted}"
