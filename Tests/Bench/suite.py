"""What the tools of all suites that start a server have in common on their command lines."""
import argparse
import secrets
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def parser_of(description: str, work: str) -> argparse.ArgumentParser:
    """`description` is shown as it is written; `work` names the folder in the checkout."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/fogbase"))
    parser.add_argument("--work", type=Path, default=ROOT / work, help="a folder for everything")
    parser.add_argument("--env", action="append", default=[], metavar="KEY=VALUE", help="a setting for the server")
    parser.add_argument("--seed", type=int, default=None,
                        help="of all choices; the threads' interleaving is not among them")
    return parser


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The options with `settings` for the server, and a seed in any case."""
    options = parser.parse_args()
    options.settings = dict(one.split("=", 1) for one in options.env)
    if options.seed is None:
        options.seed = secrets.randbelow(10**9)
    return options


def server_binary(options: argparse.Namespace) -> str | None:
    """The program that is tested; without it, whoever asked is told what to do."""
    binary = Path(options.binary).resolve()
    if binary.is_file():
        return str(binary)
    print(f"There is no {binary}. Run 'make build' first, or name a server with --binary.")
    return None
