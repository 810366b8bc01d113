"""Renews the golden digests, tells what they reach, or spells a scenario out: see tests/golden/command.py."""

from tests.golden.command import main

raise SystemExit(main())
