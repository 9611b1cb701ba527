# -*- coding: utf-8 -*-
"""Open the course, run its tests, or prepare a class. Python 3.11 or newer is all it needs.

    python3 start.py               JupyterLab, at the first lesson   (Windows: py start.py)
    python3 start.py test          the test suite
    python3 start.py bundle        what laptops without a network need, in a folder
    python3 start.py site          the lessons as pages to read
    python3 start.py --help        the options

The course gets a Python of its own in `.venv`, made at the first start and mended when what it
was made from has changed. The syntax is kept to what Python 2.7 and 3.6 can parse, so that an
old Python says what is missing instead of `SyntaxError`.
"""

from __future__ import print_function

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Memora Lab needs Python 3.11 or newer, and this is Python %d.%d.\n"
        "Install one from https://www.python.org/downloads/ and start again with it.\n"
        "Memora Lab 需要 Python 3.11 以上的版本，目前是 %d.%d。\n"
        "請到 https://www.python.org/downloads/ 安裝新版，再用新版重新執行。"
        % (sys.version_info[:2] * 2)
    )

import contextlib
import hashlib
import importlib.util
import os
import re
import signal
import socket
import subprocess
from pathlib import Path
from urllib.parse import quote

POSIX = os.name != "nt"
VERSION = "{}.{}".format(*sys.version_info[:2])
LANGUAGES = {"en": "en", "zh-tw": "zh-TW", "zh": "zh-TW"}
# What runs in .venv, and the file that names what it needs besides the course.
COMMANDS = {
    "test": (["-m", "pytest"], "requirements-dev.txt"),
    "bundle": (["tools/bundle.py"], None),
    "site": (["tools/make_site.py"], "requirements-site.txt"),
}
# What the output of venv and pip gives away. Error numbers as well as words, because Windows
# writes the words in its own language.
SIGNS = (
    ("no_venv", r"ensurepip is not"),
    ("disk", r"No space left|Disk quota exceeded|Errno 28\b|WinError (39|112)\b"),
    ("network", r"connection broken|Max retries|[Ff]ailed to connect|[Tt]imed out|versions: none"),
    ("readonly", r"Permission denied|Read-only file system|Errno (13|30)\b|WinError (5|32)\b"),
)
LACKING = (("lacking", r"No matching distribution found"),)  # with --offline, before all these
# Settings meant for another Python, or that send an install elsewhere or only pretend one.
# Indexes, proxies and certificates stay as the user set them.
NOT_HANDED_ON = re.compile(
    r"PYTHON(HOME|PATH)$|JUPYTER(_PATH|LAB_DIR)$"
    r"|PIP_(USER|TARGET|PREFIX|ROOT|PYTHON|REQUIREMENT|EDITABLE|REQUIRE_VIRTUALENV)$"
    r"|PIP_(REQUIRE_HASHES|DRY_RUN|NO_DEPS|NO_BUILD_ISOLATION|QUIET|VERBOSE)$"
)


class Fault(Exception):
    """Something its user can put right: told in their language, exit status 1."""

    def __init__(self, key, **values):
        Exception.__init__(self, key)
        self.key, self.values = key, values


def fault_in(lines, name, root, signs=SIGNS):
    """The Fault that the output of the step `name` tells of."""
    for key, sign in signs:
        told = [line.strip() for line in lines if re.search(sign, line)]
        if told:
            return Fault(key, root=root, line=told[0], version=VERSION)
    return Fault("failed", name=name, tail="\n".join("    " + line for line in lines[-15:]))


def read_arguments(words):
    """The command line → (lang, port, offline, help, command: None if not given), what is left."""
    options = dict.fromkeys(["lang", "port", "offline", "help", "command"])
    rest, words = [], list(words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        ours = ("--lang", "--offline") + (() if options["command"] else ("--port",))
        if name in ours:
            options[name[2:]] = value if equals or not words else words.pop(0)
        elif word in ("--help", "-h") and options["command"] != "test":
            options["help"] = True
        elif word in COMMANDS and not rest and not options["command"]:
            options["command"] = word
        else:
            rest.append(word)
    return options, rest


def system_language(environ):
    """zh-TW where the system speaks any Chinese, else en."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    spoken = next((environ[name] for name in names if environ.get(name)), None)
    return "zh-TW" if (spoken or desktop_language()).lower().startswith("zh") else "en"


def desktop_language():
    """What Windows and macOS are set to, such as `zh_TW`: they need no variable for it."""
    if sys.platform == "win32":
        import ctypes
        import locale

        number = ctypes.windll.kernel32.GetUserDefaultUILanguage()
        return locale.windows_locale.get(number, "")
    if sys.platform == "darwin":
        command = ["/usr/bin/defaults", "read", "-g", "AppleLocale"]
        return subprocess.run(command, capture_output=True).stdout.decode("ascii", "replace")
    return ""


def chosen_language(value):
    if value.lower().replace("_", "-") not in LANGUAGES:
        raise Fault("lang", value=value)
    return LANGUAGES[value.lower().replace("_", "-")]


def check_port(value):
    """Refuse a port that JupyterLab could not take."""
    if not re.match(r"[0-9]{1,5}\Z", value) or not 1 <= int(value) <= 65535:
        raise Fault("port", value=value)
    with socket.socket() as probe:
        if POSIX:  # else a port that was left a moment ago counts as taken
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", int(value)))
        except OSError:
            raise Fault("busy", value=value)


def first_lesson(root, lang):
    """The path of the first lesson, from `root` and with forward slashes."""
    lessons = sorted((root / "notebooks" / lang).glob("*.ipynb"))
    if not lessons:
        raise Fault("missing", name="notebooks/{}/*.ipynb".format(lang))
    return lessons[0].relative_to(root).as_posix()


def python_in(venv):
    return venv / ("bin/python" if POSIX else "Scripts/python.exe")


def wheels_in(value):
    """The address of a folder with wheels, as pip takes it: one without spaces."""
    folder = Path(value).resolve()
    if not value or not any(folder.glob("*.whl")):
        raise Fault("no_wheels", value=value)
    return folder.as_uri()


def environment(environ, venv, wheels=None):
    """The environment of everything that runs in `venv`: as if it were activated.

    With `wheels`, each pip in there takes packages from that folder alone.
    """
    env = {name: value for name, value in environ.items() if not NOT_HANDED_ON.match(name)}
    folders = [str(python_in(venv).parent), environ.get("PATH", os.defpath)]
    env.update(VIRTUAL_ENV=str(venv), PATH=os.pathsep.join(folders))
    # The kernel named python3 is this one, not one that the user has under the same name.
    env["JUPYTER_PREFER_ENV_PATH"] = "1"
    if wheels:
        env.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=wheels)
    return env


def run(name, command, root, env, held=(), on_line=lambda line: None, signs=SIGNS):
    """Run one step to its end. If this program is ended first, so is the step.

    held: file descriptors that the step keeps open, too.
    """
    child = subprocess.Popen(
        command,
        cwd=str(root),
        env=dict(env, PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=POSIX,  # a group of its own, to be ended with all its children
        pass_fds=held,
    )
    lines = []
    try:
        for line in child.stdout:
            lines.append(line.rstrip())
            on_line(line)
        child.wait()
    finally:
        stop(child)
    if child.returncode:
        raise fault_in(lines, name, root, signs)


def stop(child):
    """End a child that still runs: gently, so that pip takes its temporary files away, or not."""
    for number in ("SIGINT", "SIGKILL"):
        if child.poll() is None:
            if POSIX:
                os.killpg(child.pid, getattr(signal, number))
            else:
                child.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(3)


class Progress(object):
    """Reads what pip prints and shows how far it is; a counter in a terminal, else now and then."""

    def __init__(self, lang, out):
        self.lang, self.out, self.names, self.live = lang, out, set(), out.isatty()

    def __call__(self, line):
        found = re.match(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)", line)
        if found and found.group(1) not in self.names:
            self.names.add(found.group(1))
            if self.live or len(self.names) % 25 == 0:
                self.show("fetched", "\r{}" if self.live else "{}\n")
        elif line.startswith("Installing collected packages:"):
            self.names = set(line.partition(":")[2].split(","))
            self.show("unpack", "\n{}\n" if self.live else "{}\n")

    def show(self, key, form):
        self.out.write(form.format(text(self.lang, key, count=len(self.names))))
        self.out.flush()


def stamp(root, extra):
    """What .venv is made from, as digests: place and Python; the course; a file `extra` to it."""

    def digest(*names):
        content = "{}\n{}\n{}\n".format(root, sys.version, names).encode("utf-8", "replace")
        for name in names:
            if not (root / name).is_file():
                raise Fault("missing", name=name)
            content += (root / name).read_bytes()
        return hashlib.sha256(content).hexdigest()

    course = ("requirements.txt", "pyproject.toml")
    added = [extra + ":" + digest(*with_included(root, extra) + list(course))] if extra else []
    return [digest(), digest(*course)] + added


def with_included(root, name):
    """A requirements file, and each that it takes in with `-r`."""
    lines = (root / name).read_text("utf-8") if (root / name).is_file() else ""
    inner = [with_included(root, other) for other in re.findall(r"(?m)^-r (\S+)", lines)]
    return [name] + [other for names in inner for other in names]


def read_stamp(venv):
    """The stamp of a .venv that is whole, else nothing."""
    try:
        whole = python_in(venv).exists() and (venv / "pyvenv.cfg").exists()
        return (venv / "memora-ready").read_text("ascii").split() if whole else []
    except (OSError, ValueError):
        return []


@contextlib.contextmanager
def alone(root):
    """Keep every other start from making or mending .venv meanwhile; Fault if one is at it.

    Yields what the steps are to hold as well: if this program is killed, an orphaned pip is
    still at work, and the lock ends with it.
    """
    with (root / ".venv-lock").open("w") as file:
        try:
            if POSIX:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            else:
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            raise Fault("at_work")
        yield (file.fileno(),) if POSIX else ()


def make_venv(root, venv, env, held):
    if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
        raise Fault("no_venv", version=VERSION)
    if venv.is_file() or (venv.is_symlink() and not venv.exists()):
        venv.unlink()
    # Not sys.executable: that may be the one in the .venv which is about to be cleared.
    python = getattr(sys, "_base_executable", None) or sys.executable
    run("venv", [python, "-m", "venv", "--clear", str(venv)], root, env, held)


def install(root, venv, env, lang, extra, signs=SIGNS):
    """Make or mend .venv, if what it is made from has changed."""
    wanted = stamp(root, extra)
    if not set(wanted) <= set(read_stamp(venv)):
        with alone(root) as held:
            mend(root, venv, env, lang, extra, signs, wanted, held)


def mend(root, venv, env, lang, extra, signs, wanted, held):
    """`install`, where there is something to do and nobody else does it."""
    mark, found = venv / "memora-ready", read_stamp(venv)
    if mark.exists():
        mark.unlink()  # so that an install that breaks off is seen as one
    if wanted[0] not in found:
        print(text(lang, "venv", version=sys.version.split()[0]), flush=True)
        make_venv(root, venv, env, held)
    print(text(lang, "install"), flush=True)
    pip = [str(python_in(venv)), "-m", "pip", "install", "--no-user", "--no-input"]
    pip += ["--disable-pip-version-check", "--progress-bar", "off", "-r"]
    pip += [extra or "requirements.txt"]
    run("pip", pip, root, env, held, Progress(lang, sys.stdout), signs)
    # What another command had installed is there still, if all else is as it was.
    kept = found[2:] if wanted[:2] == found[:2] else []
    kept = [line for line in kept if line.partition(":")[0] != extra]
    mark.write_text("\n".join(wanted + kept), "ascii")


def jupyter_options(root, lesson, port):
    options = [
        "--ServerApp.root_dir={}".format(root),
        "--LabApp.default_url=/lab/tree/" + quote(lesson),
        "--LabApp.app_settings_dir={}".format(root / "lab_settings"),
        "--Application.log_level=WARN",
        "--ServerApp.answer_yes=True",  # one Ctrl-C ends it
        "--KernelManager.transport_encryption=auto",
    ]
    if port:
        options += ["--ServerApp.port=" + port, "--ServerApp.port_retries=0"]
    if POSIX and os.geteuid() == 0:
        options.append("--allow-root")
    return options


def hand_over(command, folder, env):
    """Become `command`, so that signals reach it and its exit status is ours."""
    os.chdir(str(folder))
    if POSIX:
        os.execve(command[0], command, env)
    child = subprocess.Popen(command, env=env)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:  # it got the same Ctrl-C and is ending by itself
            pass


def start(root, options, rest, lang, environ):
    """Check what can be checked at once, then install, then serve or do what was asked."""
    venv, folder, command, extra = root / ".venv", root, options["command"], None
    wheels = None if options["offline"] is None else wheels_in(options["offline"])
    env = environment(environ, venv, wheels)
    if command:
        words, extra = COMMANDS[command]
        line = text(lang, command)
        if command != "test":  # a tool, which is given folders as seen from where its user is
            words, folder = [str(root / words[0]), "--lang", lang], os.getcwd()
    else:
        if rest and not rest[0].startswith("-") and not (root / rest[0]).exists():
            raise Fault("word", value=rest[0])
        if options["port"] is not None:
            check_port(options["port"])
        lesson = first_lesson(root, lang)
        words = ["-m", "jupyterlab"] + jupyter_options(root, lesson, options["port"])
        line = text(lang, "open", lesson=lesson)
    install(root, venv, env, lang, extra, LACKING + SIGNS if wheels else SIGNS)
    print(line, flush=True)
    return hand_over([str(python_in(venv))] + words + rest, folder, env)


def main(words, environ):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    for name in ("SIGTERM", "SIGHUP"):  # leave through the `finally` that ends pip
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
    root, lang = Path(__file__).resolve().parent, system_language(environ)
    options, rest = read_arguments(words)
    try:
        if options["lang"] is not None:
            lang = chosen_language(options["lang"])
        if options["help"]:
            print(text(lang, "help"))
            return 0
        return start(root, options, rest, lang, environ)
    except KeyboardInterrupt:
        print("\n" + text(lang, "stopped"), file=sys.stderr)
        return 130
    except (Fault, OSError) as error:
        fault = error if isinstance(error, Fault) else fault_in([str(error)], "start.py", root)
        print(text(lang, fault.key, **fault.values), file=sys.stderr)
        return 1


def text(lang, key, **values):
    """The message `key`, in English or in Traditional Chinese."""
    return MESSAGES[key][lang == "zh-TW"].format(**values)


MESSAGES = {
    "help": (
        """python3 start.py [options]          opens the course in JupyterLab (Windows: py start.py)
python3 start.py test [options]     runs the tests; the options go to pytest
python3 start.py bundle [FOLDER]    gathers what laptops without a network need (default: bundle)
    --for windows,mac,linux           only for these systems     (all and every Python: 2.2 GB)
    --python 3.12,3.13                only for these versions of Python
    --tests                           with what the tests need
python3 start.py site               makes pages of the lessons, to be read without Python, in _site
    --no-browser                      does not show them

  --offline FOLDER  install from a folder that `bundle` made, without a network
  --lang en|zh-TW   the language of the lessons (default: the system's, else English)
  --no-browser      only print the address
  --port N          serve on port N, not on the first free one
  --help            print this text
Every other option goes to `jupyter lab`.""",
        """python3 start.py [選項]             用 JupyterLab 開啟課程（Windows：py start.py）
python3 start.py test [選項]        執行測試，選項會交給 pytest
python3 start.py bundle [資料夾]    收集沒有網路的筆電需要的套件（預設放在 bundle）
    --for windows,mac,linux           只收集這些系統的套件（全部系統與 Python 版本：2.2 GB）
    --python 3.12,3.13                只收集這些 Python 版本的套件
    --tests                           連同測試需要的套件
python3 start.py site               把課程做成不必安裝 Python 就能讀的網頁，放在 _site
    --no-browser                      做好後不開啟瀏覽器

  --offline 資料夾  不用網路，從 `bundle` 做好的資料夾安裝
  --lang en|zh-TW   課程語言（預設：系統語言，其他語言則用英文）
  --no-browser      只印出網址，不開啟瀏覽器
  --port N          使用連接埠 N（預設：第一個可用的連接埠）
  --help            顯示這份說明
其他選項都會交給 `jupyter lab`。""",
    ),
    "venv": (
        "Making the course's own Python {version} in .venv ...",
        "正在 .venv 建立課程專用的 Python {version}……",
    ),
    "install": (
        "Installing what the course needs (about a minute and 700 MB the first time) ...",
        "正在安裝課程需要的套件（第一次約需一分鐘、700 MB）……",
    ),
    "fetched": ("  packages looked up: {count}", "  已取得套件：{count} 個"),
    "unpack": ("  unpacking {count} packages ...", "  正在安裝 {count} 個套件……"),
    "open": (
        "Starting JupyterLab with {lesson}. Ctrl-C here ends it.",
        "JupyterLab 啟動中，第一頁是 {lesson}。在這裡按 Ctrl-C 即可結束。",
    ),
    "test": ("Running the tests ...", "正在執行測試……"),
    "bundle": ("Gathering packages ...", "正在收集套件……"),
    "site": ("Building the pages ...", "正在製作網頁……"),
    "stopped": (
        "Stopped. What was not finished is done again at the next start.",
        "已停止。尚未完成的步驟，下次啟動時會重做。",
    ),
    "lang": (
        "There is no language {value!r}: use --lang en or --lang zh-TW.",
        "沒有 {value!r} 這種語言，請用 --lang en 或 --lang zh-TW。",
    ),
    "word": (
        "There is no {value!r} here: nothing opens the course; the other commands are\n"
        "test, bundle and site; see --help.",
        "沒有 {value!r} 這個東西：不加字就是開啟課程，其他指令有 test、bundle、site；詳見 --help。",
    ),
    "port": (
        "{value!r} is no port: use a number from 1 to 65535, such as --port 8899.",
        "{value!r} 不是連接埠，請用 1 到 65535 的數字，例如 --port 8899。",
    ),
    "busy": (
        "Port {value} is in use or not allowed: stop the program that uses it, choose another, "
        "such as --port 8899, or leave --port out to get a free one.",
        "連接埠 {value} 已被占用或不允許使用：請關閉占用它的程式、換一個（例如 --port 8899），"
        "或不加 --port，自動選用可用的連接埠。",
    ),
    "missing": (
        "{name} is missing: download the whole course again.",
        "找不到 {name}，請重新下載整份課程。",
    ),
    "no_venv": (
        "This Python comes without `venv` or `ensurepip`. On Debian and Ubuntu, run\n"
        "    sudo apt install python{version}-venv\n"
        "elsewhere install Python from python.org, then start again.",
        "這個 Python 缺少 `venv` 或 `ensurepip`。Debian、Ubuntu 請執行\n"
        "    sudo apt install python{version}-venv\n"
        "其他系統請從 python.org 安裝 Python，再重新啟動。",
    ),
    "network": (
        "The packages could not be downloaded. Check the connection and start again; behind a\n"
        "proxy, set HTTPS_PROXY=http://host:port first; with a stick, add --offline FOLDER.\n"
        "What pip said:\n    {line}",
        "無法下載套件。請檢查網路連線，再重新啟動；若要經過代理伺服器，\n"
        "請先設定 HTTPS_PROXY=http://主機:連接埠；有隨身碟的話，加上 --offline 資料夾。\n"
        "pip 的訊息：\n    {line}",
    ),
    "at_work": (
        "Another start is just installing the course in this folder. Wait until it is done,\n"
        "then start again.",
        "另一個啟動程序正在這個資料夾安裝課程。請等它完成，再重新啟動。",
    ),
    "no_wheels": (
        "{value!r} is no folder with packages (*.whl) in it: give --offline the folder that\n"
        "`python3 start.py bundle` filled on a computer with a network.",
        "{value!r} 不是放有套件（*.whl）的資料夾：--offline 後面要給的，是在有網路的電腦上\n"
        "用 `python3 start.py bundle` 做好的資料夾。",
    ),
    "lacking": (
        "The folder given with --offline lacks a package for this system and Python {version}:\n"
        "    {line}\n"
        "Its README.txt lists what it serves. Start with a Python it serves, or fill it again on\n"
        "a computer with a network, from this version of the course:\n"
        "    python3 start.py bundle FOLDER",
        "--offline 指定的資料夾缺少這個系統與 Python {version} 需要的套件：\n"
        "    {line}\n"
        "資料夾中的 README.txt 列出它適用的系統。請改用其中列出的 Python 版本啟動，或在有網路的\n"
        "電腦上用同一版課程重新收集：\n    python3 start.py bundle 資料夾",
    ),
    "disk": (
        "The disk is full. The course needs about 1 GB: make room and start again.",
        "磁碟空間不足。課程約需 1 GB，請先清出空間，再重新啟動。",
    ),
    "readonly": (
        "{root} cannot be written: move the course to a folder of your own, such as Documents,\n"
        "close the programs that use it, and start again.",
        "無法寫入 {root}：請把課程移到自己可以寫入的資料夾（例如「文件」），\n"
        "關閉正在使用它的程式，再重新啟動。",
    ),
    "failed": (
        "{name} failed. Its last lines were:\n{tail}\n"
        "Start again; if that does not help, show these lines to your teacher.",
        "{name} 執行失敗，最後幾行訊息：\n{tail}\n請重新啟動；若仍失敗，請把這些訊息交給老師看。",
    ),
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
