"""What a memory is in Milvus: its columns, and the filter over two of them."""

import unicodedata
from datetime import date
from typing import TYPE_CHECKING

from memora_lab.store import MemoryStore

if TYPE_CHECKING:
    from pymilvus import MilvusClient

COLUMNS = ("memory_number", "text", "topic", "date", "vector")
MODEL_PROPERTY = "memora.model"  # of the collection; Milvus Lite forgets a description
_TEXT_BYTES, _TOPIC_BYTES = 65_535, 256  # a server counts bytes, not characters


def create(client: "MilvusClient", collection: str, store: MemoryStore) -> None:
    """An empty collection for memories such as the store's, with their model written on it."""
    from pymilvus import DataType

    # Filters read declared columns several times faster than what each row brings besides.
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("memory_number", DataType.INT64, is_primary=True)
    schema.add_field("text", DataType.VARCHAR, max_length=_TEXT_BYTES)
    schema.add_field("topic", DataType.VARCHAR, max_length=_TOPIC_BYTES)
    schema.add_field("date", DataType.VARCHAR, max_length=10)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=store.dimensions)
    client.create_collection(
        collection,
        schema=schema,
        consistency_level="Strong",  # a search sees all that was added before it
        properties={MODEL_PROPERTY: store.model or ""},
    )


def row_of(store: MemoryStore, index: int) -> dict[str, int | str]:
    """A memory's columns but its vector; ValueError if Milvus cannot hold them."""
    number, text, about = index + 1, store.content(index), store.metadata(index)
    if not store.inverse_norms[index]:
        raise ValueError(f"memory {number} is a vector of zeros: a server would never find it")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise ValueError(f"memory {number} holds half a character: type it anew") from None
    if size > _TEXT_BYTES:
        raise ValueError(
            f"memory {number} has {size:,} bytes of text, Milvus keeps {_TEXT_BYTES:,}: split it"
        )
    topic, day = about.get("topic"), about.get("date")
    return {
        "memory_number": number,
        "text": text,
        "topic": "" if topic is None else _checked_topic(topic, f"the topic of memory {number}"),
        "date": "" if day is None else _checked_day(day, f"the date of memory {number}"),
    }


def condition(topic: str | None, since: str | date | None, until: str | date | None) -> str:
    """The filter in Milvus' language; an empty one lets all memories through."""
    parts = []
    if topic is not None:
        text = _checked_topic(topic, "topic").replace("\\", "\\\\").replace('"', '\\"')
        parts.append(f'topic == "{text}"')
    if since is not None or until is not None:
        first = _checked_day(date.min if since is None else since, "since")
        last = _checked_day(date.max if until is None else until, "until")
        parts.append(f'date >= "{first}" and date <= "{last}"')
    return " and ".join(parts)


def _checked_topic(topic: object, name: str) -> str:
    """One line of text; what Milvus' language cannot say in a string is no label either."""
    one_line = isinstance(topic, str) and not {"Cc", "Cs"} & set(map(unicodedata.category, topic))
    if one_line and len(topic.encode()) <= _TOPIC_BYTES:
        return topic
    raise ValueError(
        f"{name} must be one line of text, {_TOPIC_BYTES} bytes at most, got {topic!r:.50}"
    )


def _checked_day(day: object, name: str) -> str:
    """As YYYY-MM-DD, whose order as text is the order of the days."""
    text = day.isoformat() if type(day) is date else day
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} must be a day such as 2026-03-01, got {day!r}")
