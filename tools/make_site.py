"""Make pages of the lessons, to be read without Python:  python3 start.py site

They show the outputs that the lessons were saved with; nothing is run. Both languages lie in
`_site/`, with a search of their own each, and open from a disk without a network.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "tools" / "site"
FIRST = {"en": "en/README.html", "zh-TW": "zh-TW/README.zh-TW.html"}
# The door for one who opens the folder: the language is the reader's choice.
DOOR = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Memora Lab</title>
<body style="font: 1.5rem/2 sans-serif; text-align: center; margin-top: 20vh">
<h1>Memora Lab</h1>
<p><a href="{en}">English</a><br><a href="{zh}" lang="zh-TW">繁體中文</a></p>
</body>
</html>
"""


def build(output: Path) -> list[str]:
    """Both languages, at the same time → the warnings. RuntimeError if one of them fails."""
    with tempfile.TemporaryDirectory() as cache:
        builds = []
        for lang in FIRST:
            shutil.rmtree(output / lang, ignore_errors=True)
            command = [sys.executable, "-m", "sphinx", "-q", "-c", SETTINGS, "-d"]
            command += [f"{cache}/{lang}", ROOT, output / lang]
            # Sphinx gives up in a locale that the system lacks; C is everywhere.
            settled = {"PYTHONUTF8": "1", "LC_ALL": "C"}
            environment = os.environ | settled | {"MEMORA_SITE_LANGUAGE": lang}
            builds.append(
                subprocess.Popen(
                    command,
                    env=environment,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    encoding="utf-8",
                )
            )
        said = [each.communicate()[1] for each in builds]
    if any(each.returncode for each in builds):
        raise RuntimeError("".join(said))
    (output / "index.html").write_text(DOOR.format(en=FIRST["en"], zh=FIRST["zh-TW"]), "utf-8")
    return [line for text in said for line in text.splitlines() if line]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="start.py site")
    parser.add_argument("--lang", choices=FIRST, default="en")
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--output", type=Path, default=ROOT / "_site")
    given = parser.parse_args(words)
    output, chinese = given.output.resolve(), given.lang == "zh-TW"
    try:
        for warning in build(output):
            print(warning, file=sys.stderr)
    except RuntimeError as error:
        failed = "無法製作網頁，訊息如下：" if chinese else "The pages could not be made:"
        print(f"{failed}\n{error}", file=sys.stderr)
        return 1
    print("網頁做好了，請用瀏覽器開啟：" if chinese else "The pages are ready. Open in a browser:")
    print(output / "index.html")
    if not given.no_browser:
        webbrowser.open((output / FIRST[given.lang]).as_uri())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
