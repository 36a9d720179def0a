"""`python -m memreport` is `memreport`."""

from __future__ import annotations

import sys

from memreport.commands.main import main

sys.exit(main())
