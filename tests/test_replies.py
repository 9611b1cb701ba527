"""replies.py: every odd reply is understood or refused, over the wire."""

import base64
import json
import traceback
from types import SimpleNamespace

import numpy as np
import pytest
from server import MODEL, Reply, good_body

from memora_lab import EmbeddingReplyError, create_embeddings
from memora_lab.replies import read_reply

TEXTS = ["ab", "cc"]
VECTORS = [[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]


def item(index, embedding=(1.0, 2.0), **more):
    return {"object": "embedding", "index": index, "embedding": embedding, **more}


def unnumbered(*embeddings):
    return [{"embedding": embedding} for embedding in embeddings]


def with_data(*items):
    return Reply({**good_body(TEXTS), "data": list(items)})


def with_numbers(text):
    """A reply whose first vector holds this JSON, which Python would not write."""
    body = json.dumps(with_data(item(0, [1234567, 1]), item(1)).body)
    return Reply(body.replace("1234567", text).encode())


def without(name):
    body = good_body(TEXTS)
    del body[name]
    return Reply(body)


def as_base64(*numbers):
    return base64.b64encode(np.array(numbers, "<f4").tobytes()).decode()


# Understood

UNDERSTOOD = {
    "as the API sends it": Reply(good_body(TEXTS)),
    "out of order": with_data(item(1, VECTORS[1]), item(0, VECTORS[0])),
    "unnumbered": with_data(*unnumbered(*VECTORS)),
    "numbered null": with_data(item(None, VECTORS[0]), item(None, VECTORS[1])),
    "whole numbers": with_data(item(0, [1, 1, 0]), item(1, [0, 0, 2])),
    "base64": with_data(item(0, as_base64(1, 1, 0)), item(1, as_base64(0, 0, 2))),
    "usage absent": without("usage"),
    "model absent": without("model"),
    "object absent": without("object"),
    "fields besides": Reply({**good_body(TEXTS), "values": 1, "copy": [], "self": {}, "cls": 0}),
    "fields besides in the items": with_data(
        item(0, VECTORS[0], self=1, values=[2], data=3, model_config={}),
        item(1, VECTORS[1], self=None, cls="", __class__="x"),
    ),
    "true and false beside the vectors": Reply(
        {
            **good_body(TEXTS),
            "data": [item(0, VECTORS[0], truncated=False), item(1, VECTORS[1], seen=[True])],
            "cached": True,
        }
    ),
    "an error of null": Reply({**good_body(TEXTS), "error": None}),
    "another content type": Reply(good_body(TEXTS), content_type="application/vnd.api+json"),
    "a byte order mark": Reply(b"\xef\xbb\xbf" + json.dumps(good_body(TEXTS)).encode()),
}


@pytest.mark.parametrize("reply", UNDERSTOOD.values(), ids=UNDERSTOOD.keys())
def test_an_unusual_reply_is_understood(client, server, reply):
    server.next(reply)
    assert create_embeddings(TEXTS)[0] == VECTORS


USAGES = {
    "whole": ({"prompt_tokens": 3, "total_tokens": 4}, 4),
    "prompt alone": ({"prompt_tokens": 3}, 3),
    "total alone": ({"total_tokens": 4}, 4),
    "null": (None, 0),
    "empty": ({}, 0),
    "nulls": ({"prompt_tokens": None, "total_tokens": None}, 0),
    "strings": ({"prompt_tokens": "3", "total_tokens": "4"}, 0),
    "negative": ({"prompt_tokens": -3, "total_tokens": -4}, 0),
    "booleans": ({"prompt_tokens": True, "total_tokens": True}, 0),
    "a string": ("4", 0),
    "a list": ([4], 0),
    "a number": (4, 0),
}


@pytest.mark.parametrize(("usage", "tokens"), USAGES.values(), ids=USAGES.keys())
def test_tokens_are_a_whole_number_whatever_the_usage(client, server, usage, tokens):
    server.next(Reply({**good_body(TEXTS), "usage": usage}))
    _, told = create_embeddings(TEXTS)
    assert (told, type(told)) == (tokens, int)


# Refused

REFUSED = {
    "data absent": without("data"),
    "data null": Reply({**good_body(TEXTS), "data": None}),
    "data a string": Reply({**good_body(TEXTS), "data": "ab"}),
    "data an object": Reply({**good_body(TEXTS), "data": {"0": [1.0]}}),
    "data a number": Reply({**good_body(TEXTS), "data": 2}),
    "no items": with_data(),
    "fewer items": with_data(item(0)),
    "more items": with_data(item(0), item(1), item(2)),
    "items strings": with_data("a", "b"),
    "items null": with_data(None, None),
    "items numbers": with_data(1, 2),
    "items bare vectors": with_data(*VECTORS),
    "items empty": with_data({}, {}),
    "index doubled": with_data(item(0), item(0)),
    "index mixed": with_data(item(0), *unnumbered([1.0, 2.0])),
    "index from one": with_data(item(1), item(2)),
    "index negative": with_data(item(-1), item(0)),
    "index a boolean": with_data(item(False), item(True)),
    "index a string": with_data(item("0"), item("1")),
    "index a fraction": with_data(item(0.5), item(1)),
    "index a list": with_data(item([0]), item([1])),
    "embedding absent": with_data({"index": 0}, {"index": 1}),
    "embedding null": with_data(item(0, None), item(1)),
    "embedding empty": with_data(item(0, []), item(1, [])),
    "embedding an object": with_data(item(0, {"0": 1.0}), item(1)),
    "embedding a number": with_data(item(0, 1.0), item(1)),
    "embedding nested": with_data(item(0, [[1.0, 2.0]]), item(1)),
    "true in it": with_data(item(0, [True, 1.0]), item(1)),
    "false alone in it": with_data(item(0), item(1, [False, False])),
    "true behind many numbers": with_data(item(0, [0.5] * 5000 + [True]), item(1, [0.5] * 5001)),
    "a null in it": with_data(item(0, [None, 1.0]), item(1)),
    "strings in it": with_data(item(0, ["1", "2"]), item(1)),
    "NaN in it": with_numbers("NaN"),
    "Infinity in it": with_numbers("Infinity"),
    "minus Infinity in it": with_numbers("-Infinity"),
    "1e400 in it": with_numbers("1e400"),
    "a number of 400 digits in it": with_numbers("1" + "0" * 400),
    "a number of 5000 digits in it": with_numbers("1" + "0" * 5000),
    "unequal lengths": with_data(item(0, [1.0]), item(1, [1.0, 2.0])),
    "base64 broken": with_data(item(0, "AAC$"), item(1, "AAC$")),
    "base64 with a strange sign": with_data(item(0, "AACA$Pw=="), item(1, "AACA$Pw==")),
    "base64 of half a number": with_data(item(0, "AACA"), item(1, "AACA")),
    "base64 empty": with_data(item(0, ""), item(1, "")),
    "base64 not ASCII": with_data(item(0, "茶"), item(1, "茶")),
    "base64 of NaN": with_data(item(0, as_base64(np.nan)), item(1, as_base64(1))),
    "an error": Reply({"error": {"message": "no such model"}}),
    "an error that is a string": Reply({"error": "no such model"}),
    "an error that is null": Reply({"error": None}),
    "an error that is a list": Reply({"error": [1]}),
    "an error beside good data": Reply({**good_body(TEXTS), "error": {"message": "boo"}}),
    "a web page": Reply(b"<html>Sign in</html>", content_type="text/html"),
    "a web page called JSON": Reply(b"<html>Sign in</html>"),
    "nothing": Reply(b""),
    "nothing, called a web page": Reply(b"", content_type="text/html"),
    "half of it": Reply(json.dumps(good_body(TEXTS)).encode()[:60]),
    "no UTF-8": Reply(b'{"data": [{"embedding": [1.0], "x": "\xff\xfe"}]}'),
    "text that is no UTF-8": Reply(b"\xff\xfe\xff", content_type="text/plain"),
    "too deep": Reply(b"[" * 100_000),
    "too deep, and closed": Reply(b'{"data":' * 20_000 + b"1" + b"}" * 20_000),
    "a list": Reply([1]),
    "an empty list": Reply([]),
    "the items alone": Reply(good_body(TEXTS)["data"]),
    "a number": Reply(3),
    "a string": Reply("hello"),
    "null": Reply(b"null"),
    "true": Reply(b"true"),
    "a field named as one of the SDK's": Reply({**good_body(TEXTS), "_fields_set": 1}),
    "such a field in an item": with_data(item(0, _fields_set=1), item(1)),
}


@pytest.mark.parametrize("reply", REFUSED.values(), ids=REFUSED.keys())
def test_a_malformed_reply_is_refused_and_not_asked_for_again(client, server, reply):
    server.next(reply)
    with pytest.raises(EmbeddingReplyError):
        create_embeddings(TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", ["self", "cls", "values", "data", "model_fields_set", "", "0"])
def test_a_field_of_any_name_does_no_harm(client, server, name):
    odd = {**item(0, VECTORS[0]), name: {"x": 1}}
    server.next(with_data(odd, item(1, VECTORS[1])))
    assert create_embeddings(TEXTS)[0] == VECTORS


def test_the_message_names_the_text_whose_vector_is_bad(client, server):
    server.next(with_data(item(1, []), item(0)))
    with pytest.raises(EmbeddingReplyError, match="text 2"):
        create_embeddings(TEXTS)


def test_the_message_gives_both_counts(client, server):
    server.next(with_data(item(0)))
    with pytest.raises(EmbeddingReplyError, match="1 embeddings for 2 texts"):
        create_embeddings(TEXTS)


def test_the_message_gives_both_lengths(client, server):
    server.next(with_data(item(0, [1.0]), item(1, [1.0, 2.0])))
    with pytest.raises(EmbeddingReplyError, match="1 numbers for text 1, 2 for text 2"):
        create_embeddings(TEXTS)


def test_the_message_repeats_the_servers_error(client, server):
    server.next(Reply({"error": {"message": "no such model"}}))
    with pytest.raises(EmbeddingReplyError, match="an error: no such model"):
        create_embeddings(TEXTS)


def test_the_message_shows_how_a_web_page_begins(client, server):
    server.next(Reply(b"<html>Sign in</html>", content_type="text/html"))
    with pytest.raises(EmbeddingReplyError, match="<html>Sign in"):
        create_embeddings(TEXTS)


@pytest.mark.parametrize("numbers", [[True, False], [1.0, True], [np.float32(1)], ["1"], [1j]])
def test_what_is_no_number_is_refused_in_the_reply_of_any_client(numbers):
    reply = SimpleNamespace(data=[SimpleNamespace(index=0, embedding=numbers)], model=MODEL)
    with pytest.raises(EmbeddingReplyError, match="something else than numbers"):
        read_reply(reply, 1, MODEL)


@pytest.mark.parametrize("before", [0, 40, 55, 70, 150, 190, 250])
@pytest.mark.parametrize("kind", ["an error", "a web page", "an index"])
def test_no_part_of_a_key_is_shown_that_a_reply_repeats(client, server, before, kind):
    text = "x " * (before // 2) + client.api_key
    server.next(
        {
            "an error": Reply({"error": {"message": text}}),
            "a web page": Reply(text.encode(), content_type="text/html"),
            "an index": with_data(item(text), item(1)),
        }[kind]
    )
    with pytest.raises(EmbeddingReplyError) as caught:
        create_embeddings(TEXTS)
    assert "sk-t" not in "".join(traceback.format_exception(caught.value))
