"""Search in Traditional Chinese without a dictionary: every pair of neighbours is a word.

Sphinx would cut the pages by a dictionary, but the browser does not cut what is typed, so that
餘弦相似度 finds nothing where the dictionary cut it in three. Here both are cut alike.
"""

import re
from itertools import pairwise

from sphinx.search import SearchLanguage

HAN = "\u3400-\u9fff"
PARTS = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")  # runs of Han, and words of the rest
SPLITTER = """
function splitQuery(query) {
  return (query.match(/[HAN]+|(?:(?![HAN])[\\p{L}\\p{N}_])+/gu) || []).flatMap(part =>
    part.length > 1 && /[HAN]/.test(part) ? [...part].slice(1).map((sign, i) => part[i] + sign)
    : [part]);
}
""".replace("HAN", HAN)


class SearchTraditionalChinese(SearchLanguage):
    lang = "zh_TW"
    language_name = "Traditional Chinese"
    js_splitter_code = SPLITTER

    def split(self, text):
        """餘弦 of → 餘, 弦, 餘弦, of: a single sign can be searched for, too."""
        words = []
        for part in PARTS.findall(text):
            is_han = re.match(rf"[{HAN}]", part)
            words += [*part, *map("".join, pairwise(part))] if is_han else [part]
        return words

    def stem(self, word):
        return word.lower()
