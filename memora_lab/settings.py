"""The settings: environment variables, then the nearest `.env` file.

    OPENAI_API_KEY  OPENAI_BASE_URL     which server answers; neither: the offline model
    MEMORA_PROVIDER=offline             the offline model whatever else is set
    MEMORA_EMBEDDING_MODEL              another model than EMBEDDING_MODEL
    MEMORA_BATCH_SIZE                   texts in one request, for servers that take few

The file is looked for in the working folder and upwards, then from this package upwards, so
that a notebook finds the project's `.env` wherever it was started.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path


def read_settings() -> Mapping[str, str]:
    """Every variable that is not blank, stripped; the environment wins over the file.

    Read anew at each call, so that a change counts at once. ValueError if the file found is
    not plain text in UTF-8.
    """
    merged = dict(_env_file())
    merged.update((name, text.strip()) for name, text in os.environ.items() if text.strip())
    return merged


def _env_file() -> Mapping[str, str]:
    for start in (Path.cwd(), Path(__file__).parent):
        for folder in (start, *start.parents):
            path = folder / ".env"
            if path.is_file():
                return _read_env_file(path, path.stat().st_mtime_ns)
    return {}


@lru_cache(maxsize=4)
def _read_env_file(path: Path, _changed: int) -> Mapping[str, str]:
    from dotenv import dotenv_values

    try:
        # Notepad begins a file with a byte order mark; a `$` in a key is a `$`.
        values = dotenv_values(path, encoding="utf-8-sig", interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} cannot be read ({type(error).__name__}): save it as plain text in UTF-8"
        ) from None
    return {name: text.strip() for name, text in values.items() if text and text.strip()}
