"""Whether queries by indexes find and sort what a filter of all records finds."""
import time

import paths  # noqa: F401
from actors import Survivor, values
from client import Client
from watched import Problem


def schema_of(client: Client, seconds: float = 20) -> dict:
    """The types with their indexes, when all of them are filled."""
    limit = time.monotonic() + seconds
    while True:
        types = client.call("GET", "/schema").json()["types"]
        text = str(types)
        if "'building'" not in text:
            return types
        if time.monotonic() > limit:
            raise Problem(f"an index is still being built after {seconds:.0f} s")
        time.sleep(0.05)


def found(client: Client, kind: str, **query) -> list[str]:
    names, cursor = [], {}
    while True:
        body = {"recordType": kind, "limit": 1000, "fields": [], **query, **cursor}
        page = client.call("POST", "/query", body).json()
        names += [one["recordName"] for one in page["records"]]
        if "cursor" not in page:
            return names
        cursor = {"cursor": page["cursor"]}


def complaints(client: Client, survivor: Survivor, types: dict, random):
    """Sentences about queries by an index that do not answer what the records say."""
    kinds: dict[str, dict[str, dict]] = {}
    for name, record in survivor.records.items():
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
                condition = f"{column} CONTAINS %@" if is_list else f"{column} == %@"
                answer = found(client, kind, where=condition, args=[value])
                true = {name for name, one in there.items() if (value in one if is_list else value == one)}
                if sorted(answer) != sorted(true):
                    wrong = sorted(set(answer) ^ true)[:5]
                    yield f"{kind} where {column} is {value!r} found {len(answer)}, true are {len(true)}: {wrong}"
            if not is_list and definition["fields"][column]["type"] in ("INT64", "DOUBLE"):
                answer = found(client, kind, sort=column)
                order = [(column in records.get(name, {}), records.get(name, {}).get(column, 0)) for name in answer]
                if sorted(answer) != sorted(records) or order != sorted(order):
                    is_sorted = order == sorted(order)
                    yield f"{kind} sorted by {column} gave {len(answer)} of {len(records)}, in order: {is_sorted}"
