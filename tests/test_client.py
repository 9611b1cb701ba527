"""client.py: which endpoint answers, and what is said before a text leaves."""

import traceback
from base64 import b64encode

import pytest
from openai import OpenAI
from server import MODEL

from memora_lab import (
    EMBEDDING_MODEL,
    EmbeddedMemoryCandidate,
    MemoryStore,
    create_embeddings,
    current_endpoint,
    get_client,
    semantic_search,
)
from memora_lab.client import chat_model, plain_address
from memora_lab.settings import OFFLINE_MODEL

KEY = "OPENAI_API_KEY"
URL = "OPENAI_BASE_URL"

# Which endpoint


def test_with_nothing_set_the_offline_model_answers():
    endpoint = current_endpoint()
    assert (endpoint.provider, endpoint.embedding_model) == ("offline", OFFLINE_MODEL)


def test_with_a_key_openai_answers(monkeypatch):
    monkeypatch.setenv(KEY, "sk-x")
    endpoint = current_endpoint()
    assert (endpoint.provider, endpoint.embedding_model) == ("openai", EMBEDDING_MODEL)
    assert endpoint.address == "https://api.openai.com/v1"
    assert str(get_client().base_url) == "https://api.openai.com/v1/"


@pytest.mark.parametrize("key", [None, "sk-x"])
def test_with_a_base_url_a_compatible_server_answers(monkeypatch, key):
    monkeypatch.setenv(URL, "http://localhost:11434/v1")
    if key:
        monkeypatch.setenv(KEY, key)
    endpoint = current_endpoint()
    assert (endpoint.provider, endpoint.address) == ("compatible", "http://localhost:11434/v1")
    assert get_client().api_key == key or key is None


@pytest.mark.parametrize("blank", ["", " ", "\n", "\u3000"])
def test_blank_settings_leave_the_offline_model(monkeypatch, blank):
    for name in (KEY, URL, "MEMORA_PROVIDER", "MEMORA_EMBEDDING_MODEL"):
        monkeypatch.setenv(name, blank)
    assert current_endpoint().provider == "offline"


@pytest.mark.parametrize("value", ["offline", "OFFLINE", " Offline\n"])
def test_the_offline_model_can_be_forced(monkeypatch, value):
    monkeypatch.setenv("MEMORA_PROVIDER", value)
    monkeypatch.setenv(KEY, "sk-x")
    monkeypatch.setenv(URL, "http://127.0.0.1:1/v1")
    assert current_endpoint().provider == "offline"
    assert len(create_embeddings(["tea"])[0][0]) == 512


def test_the_forced_offline_model_does_not_mind_settings_that_cannot_be_used(monkeypatch):
    monkeypatch.setenv("MEMORA_PROVIDER", "offline")
    monkeypatch.setenv(KEY, "你的金鑰")
    monkeypatch.setenv(URL, "nonsense")
    assert len(create_embeddings(["tea"])[0][0]) == 512


@pytest.mark.parametrize("value", ["openai", "0", "none", "off line"])
def test_another_provider_is_refused(monkeypatch, value):
    monkeypatch.setenv("MEMORA_PROVIDER", value)
    with pytest.raises(ValueError, match="MEMORA_PROVIDER"):
        current_endpoint()


def test_another_model_can_be_named(monkeypatch, client, server):
    monkeypatch.setenv("MEMORA_EMBEDDING_MODEL", " bge-m3 ")
    create_embeddings(["ab"])
    semantic_search("ab", [EmbeddedMemoryCandidate(content="a", embedding=[1, 0, 0])])
    MemoryStore().add(["ab"])
    create_embeddings(["ab"], client=client)
    create_embeddings(["ab"], model="by-argument")
    models = [request["model"] for request in server.requests]
    assert models == ["bge-m3"] * 4 + ["by-argument"]


def test_the_settings_are_read_from_the_file(tmp_path, server):
    (tmp_path / ".env").write_text(f"{URL}={server.url}\n{KEY}=sk-file\n")
    create_embeddings(["ab"])
    assert server.headers[0]["authorization"] == "Bearer sk-file"
    get_client().close()


# Keys and addresses


def test_a_key_is_stripped_before_it_is_sent(monkeypatch, server):
    monkeypatch.setenv(URL, server.url)
    monkeypatch.setenv(KEY, " sk-x\r\n")
    create_embeddings(["ab"])
    assert server.headers[0]["authorization"] == "Bearer sk-x"
    get_client().close()


@pytest.mark.parametrize(
    "key",
    ["sk-geheim\nx", "sk-geheim x", "sk-geheim—x", "“sk-geheim”", "你的金鑰geheim", "geheim\u200b",
     "geheim\x7f", "Bearer geheim"],
)  # fmt: skip
def test_a_key_that_no_provider_made_is_refused_and_not_shown(monkeypatch, key):
    monkeypatch.setenv(KEY, key)
    with pytest.raises(ValueError, match=KEY) as caught:
        create_embeddings(["ab"])
    shown = "".join(traceback.format_exception(caught.value))
    assert "geheim" not in shown


@pytest.mark.parametrize(
    "url",
    ["localhost:11434/v1", "localhost", "//localhost/v1", "http://", "http:///v1", "ftp://h/v1",
     "http:localhost/v1", "http://localhost:99999/v1", "http://localhost:abc/v1",
     "http://[::1/v1", "http://ho st/v1",
     "http://a..b/v1", f"http://{'a' * 64}/v1", "http://\uff11.0.0.1/v1", "http://host：80/v1",
     "http://localhost:0/v1", "u:geheim@host/v1",
     "http://u:geheim@", "sk-geheim"],
)  # fmt: skip
def test_an_address_that_is_not_whole_is_refused_and_not_shown(monkeypatch, url):
    monkeypatch.setenv(URL, url)
    with pytest.raises(ValueError, match=URL) as caught:
        create_embeddings(["ab"])
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("https://user:geheim@host:8/v1", "https://host:8/v1"),
        ("https://host/v1?key=geheim#geheim", "https://host/v1"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1"),
    ],
)
def test_an_address_is_shown_without_a_password(url, address):
    assert plain_address(url) == address


def test_an_endpoint_shows_neither_key_nor_password(monkeypatch):
    monkeypatch.setenv(KEY, "sk-geheim")
    monkeypatch.setenv(URL, "http://u:geheim@host/v1")
    assert "geheim" not in repr(current_endpoint())


# The client


def test_the_client_is_the_genuine_one_and_made_once(client):
    assert isinstance(client, OpenAI)
    assert get_client() is client


def test_another_client_is_made_when_the_settings_change(client, monkeypatch):
    monkeypatch.setenv(KEY, "sk-another")
    assert get_client() is not client
    assert get_client().api_key == "sk-another"


# What is said


def announcements(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if "texts are sent" in line]


def test_one_line_says_where_texts_go_and_which_model_reads_them(client, server, capsys):
    create_embeddings(["ab"])
    (line,) = announcements(capsys)
    assert server.url in line
    assert EMBEDDING_MODEL in line


def test_it_is_said_once(client, capsys):
    store = MemoryStore()
    store.add(["ab"])
    create_embeddings(["ab"], batch_size=1)
    semantic_search("ab", store)
    assert len(announcements(capsys)) == 1


def test_it_is_said_again_for_another_model(client, capsys):
    create_embeddings(["ab"])
    create_embeddings(["ab"], model="another")
    assert len(announcements(capsys)) == 2


def test_it_is_said_before_the_first_text_leaves(client, server, capsys):
    said = []

    def answer(request):
        said.extend(announcements(capsys))
        return ANSWER(request)

    ANSWER = server._always
    server.always(answer)
    create_embeddings(["ab"])
    assert len(said) == 1


def test_it_is_said_of_a_client_passed_in_too(server, capsys):
    with OpenAI(api_key="sk-x", base_url=server.url) as own:
        create_embeddings(["ab"], client=own)
    (line,) = announcements(capsys)
    assert server.url in line


def test_it_is_never_said_of_the_offline_model(capsys):
    create_embeddings(["tea"])
    assert capsys.readouterr().err == ""


def test_nothing_is_said_when_no_text_leaves(client, capsys):
    create_embeddings([])
    semantic_search("ab", [])
    with pytest.raises(ValueError, match="blank"):
        create_embeddings([" "])
    assert announcements(capsys) == []


def test_neither_key_nor_password_is_said(server, monkeypatch, capsys):
    monkeypatch.setenv(URL, server.url.replace("//", "//user:geheim@"))
    monkeypatch.setenv(KEY, "sk-geheim")
    create_embeddings(["ab"])
    get_client().close()
    (line,) = announcements(capsys)
    assert "geheim" not in line


def test_nothing_goes_to_stdout(client, capsys):
    create_embeddings(["ab"])
    assert capsys.readouterr().out == ""


def test_the_model_of_a_memory_is_what_the_server_calls_itself(client):
    store = MemoryStore()
    store.add(["ab"])
    assert store.model == MODEL


# What the SDK reads by itself


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_ORG_ID", "組織-geheim"),
        ("OPENAI_ORG_ID", "org-geheim\n"),
        ("OPENAI_PROJECT_ID", "proj—geheim"),
        ("OPENAI_PROJECT_ID", "geheim\x7f"),
        ("OPENAI_CUSTOM_HEADERS", "x-team: 團隊 geheim"),
        ("OPENAI_CUSTOM_HEADERS", "x-team: geheim\r\nx-other: 1"),
    ],
)
@pytest.mark.parametrize("provider", ["", "offline"])
def test_a_header_that_cannot_be_sent_is_named_and_not_shown(monkeypatch, name, value, provider):
    monkeypatch.setenv(KEY, "sk-x")
    monkeypatch.setenv("MEMORA_PROVIDER", provider)
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"{name} holds a line break") as caught:
        create_embeddings(["ab"])
    assert "geheim" not in "".join(traceback.format_exception(caught.value))
    monkeypatch.delenv(name)
    assert get_client()  # what was put right counts at once


def test_headers_that_can_be_sent_are_sent(monkeypatch, server):
    monkeypatch.setenv(URL, server.url)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-team: blue\nx-room: 2")
    create_embeddings(["ab"])
    names = ("openai-organization", "openai-project", "x-team", "x-room")
    assert [server.headers[0][name] for name in names] == ["org-1", "proj-1", "blue", "2"]
    get_client().close()


def test_the_keys_of_an_administrator_and_of_webhooks_are_not_sent(monkeypatch, server):
    monkeypatch.setenv(URL, server.url)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "geheim-1")
    monkeypatch.setenv("OPENAI_WEBHOOK_SECRET", "geheim-2")
    create_embeddings(["ab"])
    assert "geheim" not in str(server.headers)
    get_client().close()


def test_a_user_and_a_password_of_the_address_are_sent_and_stand_in_no_address(monkeypatch, server):
    monkeypatch.setenv(URL, server.url.replace("//", "//us%40er:ge%2Fheim@"))
    create_embeddings(["ab"])
    assert server.headers[0]["authorization"] == "Basic " + b64encode(b"us@er:ge/heim").decode()
    assert str(get_client().base_url) == server.url + "/"
    get_client().close()


# A key in a wrong place

REAL_KEYS = ["sk-geheim", "sk-proj-geheim0123", "gsk_geheimGeheim0123456789", "AIzaGeheim0" * 4]


@pytest.mark.parametrize("key", REAL_KEYS)
@pytest.mark.parametrize(
    "name",
    ["MEMORA_EMBEDDING_MODEL", "MEMORA_CHAT_MODEL", "MEMORA_PROVIDER", "MEMORA_BATCH_SIZE"],
)
def test_a_key_in_another_setting_is_refused_and_not_shown(monkeypatch, server, name, key):
    monkeypatch.setenv(URL, server.url)
    monkeypatch.setenv(name, key)
    with pytest.raises(ValueError, match=name) as caught:
        create_embeddings(["ab"])
        chat_model()
    assert "eheim" not in "".join(traceback.format_exception(caught.value))


def test_a_key_as_the_model_argument_is_refused_and_not_shown(client, server, capsys):
    key = "sk-" + "geheim"  # or the line of the call, in the traceback, would show it
    for own in (client, None):
        with pytest.raises(ValueError, match="model holds what looks like a key") as caught:
            create_embeddings(["ab"], client=own, model=key)
        assert "geheim" not in "".join(traceback.format_exception(caught.value))
    assert "geheim" not in capsys.readouterr().err
    assert server.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "https://host/v1?key=geheim",
        "https://host/v1#geheim",
        "https://host/sk-proj-geheim0123456789/v1",
        "https://gsk_geheim01234567890123/v1",
        "https://host/Geheim0123456789abcdefghij/v1",
    ],
)
def test_a_key_in_the_address_is_refused_and_not_shown(monkeypatch, url):
    monkeypatch.setenv(URL, url)
    with pytest.raises(ValueError, match=URL) as caught:
        create_embeddings(["ab"])
    assert "eheim" not in "".join(traceback.format_exception(caught.value))


def test_the_forced_offline_model_does_not_mind_a_key_in_a_wrong_place(monkeypatch):
    monkeypatch.setenv("MEMORA_PROVIDER", "offline")
    for name in (URL, "MEMORA_EMBEDDING_MODEL", "MEMORA_CHAT_MODEL"):
        monkeypatch.setenv(name, "sk-geheim")
    assert len(create_embeddings(["tea"])[0][0]) == 512
