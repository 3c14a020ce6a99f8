"""Lets the modules of this folder import those of Tests/PowerCut and Tests/Bench, whose clients and checks they use."""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "Tests/PowerCut"), str(ROOT / "Tests/Bench")]
