"""Power that is weighed or only named, and numbers beside it that are told where nothing reads them."""

from __future__ import annotations
