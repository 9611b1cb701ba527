"""models.py: the three shapes."""

import numpy as np
import pytest
from pydantic import ValidationError

from memora_lab import EmbeddedMemoryCandidate, MemoryCandidate, MemorySearchResult


def test_a_candidate_is_its_content():
    assert MemoryCandidate(content="tea").content == "tea"


def test_an_embedded_memory_made_by_hand_has_no_model():
    assert EmbeddedMemoryCandidate(content="tea", embedding=[1, 2]).model is None


def test_an_embedded_memory_takes_a_numpy_row():
    memory = EmbeddedMemoryCandidate(content="tea", embedding=np.array([1, 2], np.float32))
    assert memory.embedding == [1.0, 2.0]
    assert all(type(number) is float for number in memory.embedding)


@pytest.mark.parametrize("embedding", [None, "ab", 1.0, [None], ["a"], [[1.0]]])
def test_an_embedding_is_a_list_of_numbers(embedding):
    with pytest.raises(ValidationError):
        EmbeddedMemoryCandidate(content="tea", embedding=embedding)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), 1.0000001, -1.0000001])
def test_a_result_has_a_score_from_minus_one_to_one(score):
    with pytest.raises(ValidationError):
        MemorySearchResult(memory_number=1, content="tea", score=score)


def test_a_result_counts_from_one():
    with pytest.raises(ValidationError):
        MemorySearchResult(memory_number=0, content="tea", score=0.5)
