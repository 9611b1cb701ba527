"""The settings and their defaults: environment variables, then the nearest `.env` file.

    OPENAI_API_KEY  OPENAI_BASE_URL     which server answers; neither: the offline model
    MEMORA_PROVIDER=offline             the offline model whatever else is set
    MEMORA_EMBEDDING_MODEL              another model than EMBEDDING_MODEL
    MEMORA_CHAT_MODEL                   another model for the conversation than CHAT_MODEL
    MEMORA_BATCH_SIZE                   texts in one request, for servers that take few
    MEMORA_DATA                         the folder of other labelled data than the course's
    MEMORA_URI  MEMORA_TOKEN            a folder ending in .db, or a Milvus server and its token

The file is looked for in the working folder and upwards, then from this package upwards, so
that a notebook finds the project's `.env` wherever it was started.
"""

import os
import re
import stat
from collections.abc import Mapping
from functools import cache, lru_cache
from io import StringIO
from pathlib import Path

EMBEDDING_MODEL = "text-embedding-3-small"
CHAT_MODEL = "gpt-5.4-mini"
OFFLINE_MODEL = "universal-sentence-encoder-multilingual-v3"

# What the HTTP client reads from the environment by itself: not ours, but looked at.
PROXY_VARIABLES = (
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "all_proxy",
    "https_proxy",
    "http_proxy",
)
CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")

_NAMES = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "MEMORA_PROVIDER",
    "MEMORA_EMBEDDING_MODEL",
    "MEMORA_CHAT_MODEL",
    "MEMORA_BATCH_SIZE",
    "MEMORA_DATA",
    "MEMORA_URI",
    "MEMORA_TOKEN",
)

# What the keys of the providers look like, and the names of models and hosts do not: a known
# beginning, or many letters and digits thrown together.
_LIKE_A_KEY = re.compile(
    r"^sk-|(?<![\w-])(?:sk-[\w-]{16}|(?:gsk_|hf_|jina_|r8_|xai-|nvapi-|pplx-|pa-)\w{16})|"
    r"(?<![A-Za-z0-9])(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{24,}"
)


def read_settings() -> dict[str, str]:
    """Every one of these that is not blank, stripped; the environment wins over the file.

    Read anew at each call, so that a change counts at once. ValueError if the file found is
    not plain text in UTF-8.
    """
    file = _env_file()
    found = {name: os.environ.get(name, "").strip() or file.get(name, "") for name in _NAMES}
    return {name: text for name, text in found.items() if text}


def refuse_key(name: str, text: str) -> str:
    """The text of a setting that is shown; ValueError, without it, if a key stands there."""
    key = read_settings().get("OPENAI_API_KEY", "")
    if _LIKE_A_KEY.search(text) or (len(key) >= 16 and key in text):
        raise ValueError(
            f"{name} holds what looks like a key, and is shown in outputs: a key belongs in "
            "OPENAI_API_KEY alone"
        )
    return text


def _env_file() -> Mapping[str, str]:
    for folder in (*_upwards(os.getcwd()), *_upwards(os.path.dirname(__file__))):
        path = os.path.join(folder, ".env")
        try:
            found = stat.S_ISREG(os.stat(path).st_mode)
        except OSError:
            continue
        if found:
            return _read_env_file(path)
    return {}


@cache
def _upwards(folder: str) -> tuple[str, ...]:
    """The folder, the one around it, and so on to the root."""
    return (folder, *map(str, Path(folder).parents))


def _read_env_file(path: str) -> Mapping[str, str]:
    try:
        # Notepad begins a file with a byte order mark.
        return _values(Path(path).read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} cannot be read ({type(error).__name__}): save it as plain text in UTF-8"
        ) from None


@lru_cache(maxsize=4)  # by the text: a file changed twice in a moment keeps its date
def _values(text: str) -> Mapping[str, str]:
    from dotenv import dotenv_values

    # A `$` in a key is a `$`.
    values = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: text.strip() for name, text in values.items() if text and text.strip()}
