"""Imported first: the modules of this folder import those of Tests/PowerCut, Tests/Crash and Tests/Bench."""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / f"Tests/{suite}") for suite in ("PowerCut", "Crash", "Bench")]
