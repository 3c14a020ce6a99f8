"""Imported first: the modules of this folder import those of Tests/Bench."""
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "Bench"))
