"""The font: matplotlib alone draws boxes for Chinese."""

import matplotlib as mpl
from matplotlib import font_manager

_INSTALLED_FONTS = (
    "Microsoft JhengHei",
    "PingFang TC",
    "Heiti TC",
    "Noto Sans CJK TC",
    "Noto Sans TC",
    "WenQuanYi Zen Hei",
)


def use_chinese_font() -> str:
    """Let matplotlib draw Traditional Chinese; returns the name of the font.

    The packaged Noto Sans TC, so that a figure is the same everywhere; without it, an
    installed font. RuntimeError if there is neither.
    """
    name = _packaged_font() or _installed_font()
    if name is None:
        raise RuntimeError(
            "no font with Traditional Chinese characters was found: pip install pylopdf-fonts-zh-tw"
        )
    mpl.rcParams["font.family"] = [name, "DejaVu Sans"]
    mpl.rcParams["axes.unicode_minus"] = False  # some fonts have no minus sign, all a hyphen
    return name


def _packaged_font() -> str | None:
    try:
        from pylopdf_fonts_zh_tw import sans_path
    except ImportError:
        return None
    font_manager.fontManager.addfont(sans_path())
    return font_manager.FontProperties(fname=sans_path()).get_name()


def _installed_font() -> str | None:
    installed = set(font_manager.get_font_names())
    return next((name for name in _INSTALLED_FONTS if name in installed), None)
