"""A model card is called after the release that it describes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.errors import InputError
from tests.support import run, scenario_text


def test_the_instruct_release_is_called_so_and_its_old_name_leads_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'mixtral-8x22b-instruct'"):
        run(tmp_path, scenario_text(model="mixtral-8x22b"))
