"""An upgrade from an older version, and the way back.

    python3 -m Tests.upgrade --before FILE                # the binary of an older version
    python3 -m Tests.upgrade --before FILE --dump FILE    # writes what UpgradeTests.swift opens, and ends
    python3 -m Tests.upgrade --before FILE --plant loss   # plants a fault: the run must fail

The older version fills a data directory with accounts, administrators, records of every type, access lists, shares,
files, indexes, jobs and more, and makes a backup. The run fails unless

* the new version opens the directory, and responds to every caller as before;
* sessions, API keys, sync tokens and upload tokens of before go on;
* `fogbase doctor` finds nothing;
* the older version refuses the directory then, and names the reason;
* the backup brings the older version back to what it was.
"""
import shutil
import subprocess
from pathlib import Path

from Tests.harness.arguments import make_parser, parse, run_main
from Tests.harness.errors import Problem
from Tests.harness.server import Server, doctor
from Tests.upgrade.world import World, answers, differences, fill

REFUSAL = "written by a newer version of Fogbase"


def run(binary: str, *arguments: str) -> None:
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=300)
    if done.returncode:
        said = done.stdout[-500:] + done.stderr[-500:]
        raise Problem(f"{' '.join(arguments[:2])} ended with {done.returncode}: {said}")


def serve(binary: str, data: Path, like: Server | None, settings: dict[str, str]) -> Server:
    server = Server(binary, data, settings)
    if like:
        server.admin = like.admin
        server.environment["FOGBASE_ADMIN_TOKEN"] = like.admin
    return server


def compare(before: dict, after: dict, name: str) -> None:
    wrong = [f"{path}: {one}" for path in before for one in differences(before[path], after.get(path))]
    if wrong:
        raise Problem(f"{name}, {len(wrong)} values are others:\n" + "\n".join(wrong[:20]))


def go_on(server: Server, world: World) -> None:
    """Uses what the older version gave: an upload token and the write rights of a session and a key."""
    ann, key = (server.client(world.tokens[one]) for one in ("ann", "key"))
    ann.call("PATCH", "/records/Goods/g7", {"fields": {"file": {"value": world.receipt, "type": "ASSET"}}})
    key.call("POST", "/records/Goods", {"fields": {"title": "by the key", "count": 3}}, (201,))
    server.client(server.admin).call("PATCH", "/schema/types/Goods/fields/price", {"name": "cost2"})


def dump(data: Path, file: Path) -> int:
    """Writes the tables of a small database as SQL, for a test that has no older binary."""
    import sqlite3
    [source] = data.rglob("development/records.sqlite")
    with sqlite3.connect(source) as connection:
        file.write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
    connection.close()
    print(f"{file}: {file.stat().st_size:,} bytes")
    return 0


def main() -> int:
    parser = make_parser(__doc__, ".upgrade")
    parser.add_argument("--before", required=True, help="the binary of an older version")
    parser.add_argument("--dump", type=Path, help="write the tables of the older version to this file, and end")
    parser.add_argument("--plant", choices=["loss"], help="a fault that must be found")
    options = parse(parser)
    shutil.rmtree(options.work, ignore_errors=True)
    data, backup = options.work / "data", options.work / "backup"
    older = serve(options.before, data, None, options.settings)
    with older:
        world = fill(older, **({"goods": 5, "files": 0} if options.dump else {}))
        if options.dump:
            older.stop()
            return dump(data, options.dump)
        answers(older, world)
        before = answers(older, world)
        run(options.before, "backup", "create", str(backup), "--data", str(data))
        older.stop()
    if options.plant == "loss":
        import sqlite3
        [file] = data.rglob("development/records.sqlite")
        with sqlite3.connect(file) as connection:
            connection.execute("DELETE FROM participant")
        connection.close()
    newer = serve(options.binary, data, older, options.settings)
    with newer:
        compare(before, answers(newer, world), "After the upgrade")
        go_on(newer, world)
        newer.stop()
    if problem := doctor(options.binary, data):
        raise Problem(f"after the upgrade, {problem}")
    refused = serve(options.before, data, older, options.settings)
    try:
        refused.start(seconds=20)
    except Problem as problem:
        if REFUSAL not in refused.last_words():
            raise Problem(f"the older version ended without the reason: {problem}") from None
    else:
        refused.kill()
        raise Problem("the older version opened the directory of the newer one")
    run(options.before, "backup", "restore", "--replace", str(backup), "--data", str(data))
    with serve(options.before, data, older, options.settings) as restored:
        compare(before, answers(restored, world), "After the way back")
        restored.stop()
    if problem := doctor(options.before, data):
        raise Problem(f"after the way back, {problem}")
    print(f"{len(before)} responses are as before after the upgrade, and after the way back.")
    return 0


if __name__ == "__main__":
    run_main(main)
