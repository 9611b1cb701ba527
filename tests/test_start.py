"""start.py, run as its users run it: in copies of its own, in real processes, without a network.

The copies get stand-ins for jupyterlab and pytest (wheels made here) that tell how they were
called. One test starts the real JupyterLab.
"""

import ast
import glob
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = (ROOT / "start.py").read_text("utf-8")
on_posix = pytest.mark.skipif(os.name == "nt", reason="signals and links as POSIX has them")

spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
start = importlib.util.module_from_spec(spec)
spec.loader.exec_module(start)

JUPYTERLAB = """
import json, os, sys
print(json.dumps({"argv": sys.argv[1:], "prefix": sys.prefix, "cwd": os.getcwd(),
                  "environ": dict(os.environ)}))
"""
NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
DEV = "requirements-dev.txt"
PYTEST = "import sys; print('pytest', sys.argv[1:]); sys.exit(7)"


# ---- a course in miniature


def make_wheel(folder, name, main):
    """A wheel with one module that runs as `python -m name`."""
    info = f"{name}-1.dist-info"
    files = {
        f"{name}/__init__.py": "",
        f"{name}/__main__.py": main,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-1-py3-none-any.whl", "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)


def make_course(folder):
    """What start.py looks for, and no more."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "start.py", folder)
    for lang in ("en", "zh-TW"):
        (folder / "notebooks" / lang).mkdir(parents=True)
        for name in ("01_second.ipynb", "00 先看.ipynb"):
            (folder / "notebooks" / lang / name).write_text(NOTEBOOK, "utf-8")
    make_wheel(folder, "jupyterlab", JUPYTERLAB)
    make_wheel(folder, "pytest", PYTEST)
    (folder / "pip.conf").write_text("[install]\nuser = true\n", "utf-8")
    (folder / "pyproject.toml").write_text("", "utf-8")
    (folder / "requirements.txt").write_text("./jupyterlab-1-py3-none-any.whl\n", "utf-8")
    (folder / "requirements-dev.txt").write_text(
        "-r requirements.txt\n./pytest-1-py3-none-any.whl\n", "utf-8"
    )
    return folder


@pytest.fixture
def bare(tmp_path):
    """A course that was never started."""
    return make_course(tmp_path / "bare")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course that was started once. A test may leave it as it likes: the next start mends it."""
    folder = make_course(tmp_path_factory.mktemp("start") / "a course 課程")
    folder.with_suffix(".log").write_text(start_in(folder).stdout, "utf-8")
    return folder


def user_environment(**changes):
    """An English user who has a say on pip, and a Python of another project about."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES")
    env = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
    env = {key: value for key, value in env.items() if key not in names}
    env |= {"LANG": "en_GB.UTF-8", "PIP_CONFIG_FILE": "pip.conf", "PIP_NO_INDEX": "1"}
    env |= {"PIP_USER": "1", "PIP_TARGET": "elsewhere", "PIP_REQUIRE_HASHES": "1"}
    env |= {"PYTHONIOENCODING": "utf-8", "VIRTUAL_ENV": "/another/venv"}
    return {key: value for key, value in (env | changes).items() if value is not None}


def start_in(folder, *words, before=(), start=Path(), **environ):
    """start.py of the course `start`, by default the one in `folder`, run there to its end."""
    return subprocess.run(
        [*before, sys.executable, start / "start.py", *words],
        cwd=folder,
        env=user_environment(**environ),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def call_of(result):
    """How the stand-in for JupyterLab was called."""
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def fault_of(result, status=1):
    """What start.py said when it gave up; never a traceback."""
    assert result.returncode == status, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    return result.stderr


def steps(output):
    """Which of the two long steps were taken."""
    return [word for word in ("Making", "Installing") if word in output]


def ready(folder):
    """Bring the course to where its .venv is whole."""
    assert start_in(folder).returncode == 0
    return folder / ".venv" / "memora-ready"


# ---- an old Python


def test_the_syntax_is_old():
    """What neither Python 2.7 nor 3.6 could parse must not occur."""
    tree = ast.parse(SOURCE, feature_version=(3, 4))
    too_new = (ast.JoinedStr, ast.AnnAssign, ast.Nonlocal, ast.NamedExpr, ast.YieldFrom, ast.Await)
    for node in ast.walk(tree):
        assert not isinstance(node, too_new), ast.unparse(node)
        if isinstance(node, ast.FunctionDef):
            given = [*node.args.args, node.args.vararg, node.args.kwarg]
            assert not node.args.kwonlyargs and not node.args.posonlyargs and not node.returns
            assert not any(argument.annotation for argument in given if argument)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            assert not any(isinstance(item, ast.Starred) for item in node.elts)
        if isinstance(node, ast.Raise):
            assert node.cause is None


def test_an_old_python_is_told_before_anything_else():
    code = (
        "import sys; sys.version_info = (3, 10, 9); exec(compile(sys.argv[1], 'start.py', 'exec'))"
    )
    command = [sys.executable, "-c", code, SOURCE]
    result = subprocess.run(command, env=user_environment(), capture_output=True, encoding="utf-8")
    assert "needs Python 3.11 or newer, and this is Python 3.10" in fault_of(result)
    assert "需要 Python 3.11 以上" in result.stderr


def old_pythons():
    """Those installed by pyenv, and those on the PATH that are no launchers of pyenv's."""
    names = ["python2", "python2.7", *(f"python3.{minor}" for minor in range(6, 11))]
    on_path = [path for path in map(shutil.which, names) if path and "shims" not in path]
    home = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    installed = glob.glob(os.path.join(glob.escape(home), "versions", "*", "bin", "python"))
    return on_path + [path for path in installed if re.search(r"[/\\](2|3\.\d|3\.10)\.\d", path)]


@pytest.mark.parametrize("python", old_pythons() or [None])
def test_real_old_pythons(python):
    if python is None:
        pytest.skip("no Python older than 3.11 is installed")
    command = [python, str(ROOT / "start.py")]
    result = subprocess.run(command, env={"LC_ALL": "C", "PATH": os.defpath}, capture_output=True)
    assert result.returncode == 1
    assert result.stderr.startswith(b"Memora Lab needs Python 3.11 or newer")


# ---- words


def test_every_message_is_in_both_languages():
    for key, (english, chinese) in start.MESSAGES.items():
        assert set(re.findall(r"{(\w+)", english)) == set(re.findall(r"{(\w+)", chinese)), key
        assert english.isascii() and re.search(r"[\u4e00-\u9fff]", chinese), key
    used = re.findall(r'[ (](?:Fault|text)\((?:lang, |self\.lang, )?"(\w+)"', SOURCE)
    assert len(used) > 10 and set(used) <= set(start.MESSAGES)


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({"LANG": "zh_TW.UTF-8"}, "zh-TW"),
        ({"LANG": "zh_CN.UTF-8"}, "zh-TW"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh-TW"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_TW:en"}, "zh-TW"),
        ({"LANG": "zh_TW.UTF-8", "LANGUAGE": "", "LC_ALL": ""}, "zh-TW"),
    ],
)
def test_language_of_the_system(environ, lang):
    assert start.system_language(environ) == lang


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there the desktop is asked")
def test_no_language_is_english():
    assert start.system_language({}) == "en"


@pytest.mark.parametrize(
    ("words", "options", "rest"),
    [
        ([], {}, []),
        (["--lang", "zh-TW", "--no-browser"], {"lang": "zh-TW"}, ["--no-browser"]),
        (["--lang=en", "--port=1", "--x=y"], {"lang": "en", "port": "1"}, ["--x=y"]),
        (["--port"], {"port": ""}, []),
        (["test", "-k", "x y", "--port", "1"], {"command": "test"}, ["-k", "x y", "--port", "1"]),
        (["--lang", "en", "test", "--help"], {"lang": "en", "command": "test"}, ["--help"]),
        (["--offline", "E:/a b", "test"], {"offline": "E:/a b", "command": "test"}, []),
        (["bundle", "a b", "--for=mac"], {"command": "bundle"}, ["a b", "--for=mac"]),
        (["bundle", "test"], {"command": "bundle"}, ["test"]),
        (["site", "--help", "--lang=zh"], {"command": "site", "help": True, "lang": "zh"}, []),
        (["--no-browser", "test"], {}, ["--no-browser", "test"]),
        (["-h"], {"help": True}, []),
    ],
)
def test_command_line(words, options, rest):
    given, passed_on = start.read_arguments(words)
    assert {key: value for key, value in given.items() if value is not None} == options
    assert passed_on == rest


def test_help_in_both_languages(bare):
    assert "--no-browser" in start_in(bare, "--help").stdout
    assert "--offline FOLDER" in start_in(bare, "bundle", "--help").stdout
    assert "課程語言" in start_in(bare, "--help", LANG="zh_TW.UTF-8").stdout
    assert not (bare / ".venv").exists()


# ---- the first start, and the next


def test_first_start(course):
    log = course.with_suffix(".log").read_text("utf-8")
    assert steps(log) == ["Making", "Installing"]
    call = json.loads(log.splitlines()[-1])
    assert call["prefix"] == str(course / ".venv") and call["cwd"] == str(course)
    assert (
        "--LabApp.default_url=/lab/tree/notebooks/en/00%20%E5%85%88%E7%9C%8B.ipynb" in call["argv"]
    )
    assert f"--ServerApp.root_dir={course}" in call["argv"]
    assert "--ServerApp.answer_yes=True" in call["argv"]  # else Ctrl-C asks a question
    assert call["environ"]["VIRTUAL_ENV"] == str(course / ".venv")
    assert call["environ"]["PATH"].startswith(str(course / ".venv"))


def test_second_start_installs_nothing(course):
    before = ready(course).stat().st_mtime_ns
    result = start_in(course, "--no-browser", "--ServerApp.token=x")
    assert call_of(result)["argv"][-2:] == ["--no-browser", "--ServerApp.token=x"]
    assert steps(result.stdout) == []
    assert (course / ".venv" / "memora-ready").stat().st_mtime_ns == before


def test_chinese_start(course):
    ready(course)
    result = start_in(course, LANG="zh_TW.UTF-8")
    assert "/lab/tree/notebooks/zh-TW/" in " ".join(call_of(result)["argv"])
    assert "notebooks/zh-TW/00 先看.ipynb。" in result.stdout
    assert "notebooks/en/" in start_in(course, "--lang", "EN", LANG="zh_TW.UTF-8").stdout


def test_a_terminal_without_chinese_is_no_fault(course):
    ready(course)
    assert "???" in start_in(course, "--lang=zh-TW", PYTHONIOENCODING="ascii").stdout


def test_started_from_its_own_venv(course):
    """As in a terminal of an editor that activates .venv by itself."""
    ready(course)
    command = [str(start.python_in(course / ".venv")), "start.py"]
    result = subprocess.run(
        command, cwd=course, env=user_environment(), capture_output=True, encoding="utf-8"
    )
    assert steps(result.stdout) == [] and call_of(result)["prefix"] == str(course / ".venv")


def test_changed_requirements_are_installed_over(course):
    ready(course)
    kept = course / ".venv" / "kept"
    kept.touch()
    with (course / "requirements.txt").open("a") as file:
        file.write("# changed\n")
    assert steps(start_in(course).stdout) == ["Installing"]
    assert kept.exists() and steps(start_in(course).stdout) == []


def test_tests_and_course_share_an_install(course):
    ready(course)
    with (course / "requirements-dev.txt").open("a") as file:
        file.write("# changed\n")
    result = start_in(course, "test", "-k", "two words")
    assert result.returncode == 7 and "pytest ['-k', 'two words']" in result.stdout
    assert steps(result.stdout) == ["Installing"]
    assert steps(start_in(course).stdout) == []
    assert steps(start_in(course, "test").stdout) == []


def test_what_a_command_had_installed_is_remembered(course):
    """Else a teacher who makes the site, then loses the network, could not run the tests."""
    ready(course)
    shutil.copy(course / DEV, course / "requirements-site.txt")
    (course / "tools").mkdir(exist_ok=True)
    (course / "tools" / "make_site.py").write_text("import sys; print(sys.argv)", "utf-8")
    assert start_in(course, "test").returncode == 7
    assert steps(start_in(course, "site").stdout) == ["Installing"]
    assert steps(start_in(course, "test").stdout) == []
    assert steps(start_in(course, "site").stdout) == []
    assert steps(start_in(course).stdout) == []
    with (course / DEV).open("a") as file:  # and no more than that
        file.write("# changed\n")
    assert steps(start_in(course, "test").stdout) == ["Installing"]
    mark = (course / ".venv" / "memora-ready").read_text("ascii").split()
    assert [line.partition(":")[0] for line in mark[2:]] == [DEV, "requirements-site.txt"]


@pytest.mark.parametrize(("command", "tool"), [("bundle", "bundle.py"), ("site", "make_site.py")])
def test_tools_run_in_the_venv_and_speak_the_language(course, command, tool):
    ready(course)
    (course / "requirements-site.txt").write_text("", "utf-8")
    (course / "tools").mkdir(exist_ok=True)
    told = "import json, os, sys; print(json.dumps([sys.prefix, os.getcwd(), *sys.argv]))"
    (course / "tools" / tool).write_text(told + "; sys.exit(5)", "utf-8")
    elsewhere = course.parent  # from where a relative path is meant
    result = start_in(elsewhere, "--lang=zh", command, "a b", "--for", "mac", start=course)
    assert result.returncode == 5, result.stderr
    said = json.loads(result.stdout.splitlines()[-1])
    given = ["--lang", "zh-TW", "a b", "--for", "mac"]
    assert said == [str(course / ".venv"), str(elsewhere), str(course / "tools" / tool), *given]


# ---- without a network


@pytest.fixture
def offline(bare):
    """A course whose packages must come from an index, and there is none."""
    wheels = bare / "wheels 套件"
    wheels.mkdir()
    for wheel in bare.glob("*.whl"):
        wheel.rename(wheels / wheel.name)
    (bare / "requirements.txt").write_text("jupyterlab==1\n", "utf-8")
    (bare / DEV).write_text("-r requirements.txt\npytest==1\n", "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        index = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
    return lambda *words: start_in(bare, *words, PIP_NO_INDEX=None, PIP_INDEX_URL=index)


def test_a_folder_of_wheels_in_place_of_the_network(bare, offline):
    call = call_of(offline("--offline", "wheels 套件"))
    assert call["prefix"] == str(bare / ".venv")
    # Lessons that install a package find it there, too.
    assert call["environ"]["PIP_NO_INDEX"] == "1"
    assert call["environ"]["PIP_FIND_LINKS"] == (bare / "wheels 套件").as_uri()
    assert "PIP_FIND_LINKS" not in call_of(offline())["environ"]
    assert offline("test", "--offline=wheels 套件").returncode == 7


def test_a_folder_that_lacks_a_wheel(bare, offline):
    [wheel] = bare.glob("wheels*/jupyterlab*")
    wheel.rename(wheel.with_name("jupyterlab-2-py3-none-any.whl"))
    said = fault_of(offline("--offline", str(wheel.parent)))
    assert "No matching distribution found for jupyterlab==1" in said
    assert "lacks a package" in said and "python3 start.py bundle FOLDER" in said
    assert "缺少" in fault_of(offline("--lang=zh", "--offline", str(wheel.parent)))


@pytest.mark.parametrize("folder", ["nowhere", "notebooks", "start.py", ""])
def test_no_folder_of_wheels(bare, folder):
    said = fault_of(start_in(bare, "--offline", folder))
    assert f"{folder!r} is no folder with packages" in said and "start.py bundle" in said
    assert "不是放有套件" in fault_of(start_in(bare, "--lang=zh", "--offline=" + folder))
    assert not (bare / ".venv").exists()


# ---- a .venv that broke


def half_made(venv):
    (venv / "memora-ready").unlink()
    (venv / "left over").touch()


def plain_file(venv):
    shutil.rmtree(venv)
    venv.touch()


def dangling_link(venv):
    shutil.rmtree(venv)
    venv.symlink_to(venv.parent / "nowhere")


def python_gone(venv):
    start.python_in(venv).unlink()
    start.python_in(venv).symlink_to(venv / "nowhere")


def config_gone(venv):
    (venv / "pyvenv.cfg").unlink()


@on_posix
@pytest.mark.parametrize("harm", [half_made, plain_file, dangling_link, python_gone, config_gone])
def test_a_broken_venv_is_made_anew(course, harm):
    ready(course)
    harm(course / ".venv")
    result = start_in(course)
    assert steps(result.stdout) == ["Making", "Installing"]
    assert call_of(result)["prefix"] == str(course / ".venv")
    assert not (course / ".venv" / "left over").exists()


def test_a_second_start_meanwhile_is_told_and_spoils_nothing(bare):
    with start.alone(bare):
        said = fault_of(start_in(bare))
        assert "Another start is just installing" in said
        assert "另一個啟動程序" in fault_of(start_in(bare, "--lang=zh"))
        assert not (bare / ".venv").exists()
    call_of(start_in(bare))
    with start.alone(bare):  # where nothing is to be done, nobody has to wait
        call_of(start_in(bare))


@on_posix
def test_what_a_killed_start_left_at_work_is_waited_for(bare):
    code = (
        "import os, pathlib, runpy, sys; start = runpy.run_path(sys.argv[1]); "
        "root = pathlib.Path(sys.argv[2]); lock = start['alone'](root); held = lock.__enter__(); "
        "step = 'import os, time; print(os.getpid()); time.sleep(60)'; "
        "tell = lambda line: print(line, flush=True); "
        "start['run']('step', [sys.executable, '-c', step], root, os.environ, held, tell)"
    )
    command = [sys.executable, "-c", code, bare / "start.py", bare]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as killed:
        orphan = psutil.Process(int(killed.stdout.readline()))
        killed.kill()
    assert "Another start" in fault_of(start_in(bare))
    orphan.kill()
    orphan.wait()
    call_of(start_in(bare))


def test_the_stamp_names_place_python_and_contents(bare, tmp_path):
    here = start.stamp(bare, DEV)
    assert start.stamp(bare, None) == here[:2]
    moved = bare.rename(tmp_path / "moved")
    assert not set(start.stamp(moved, DEV)) & set(here)
    code = "import runpy, sys, pathlib; stamp = runpy.run_path(sys.argv[1])['stamp']; "
    code += "sys.version = 'another'; print(*stamp(pathlib.Path(sys.argv[2]), sys.argv[3]))"
    other = subprocess.check_output([sys.executable, "-c", code, ROOT / "start.py", moved, DEV])
    assert not set(other.decode().split()) & set(start.stamp(moved, DEV))
    before = start.stamp(moved, DEV)
    for name, same in [("requirements-dev.txt", 2), ("requirements.txt", 1), ("pyproject.toml", 1)]:
        (moved / name).write_text("# changed", "utf-8")
        after = start.stamp(moved, DEV)
        assert [a == b for a, b in zip(before, after, strict=True)].count(True) == same
        before = after


def test_settings_of_another_python_are_not_handed_on(tmp_path):
    dropped = ["PYTHONPATH", "PYTHONHOME", "JUPYTER_PATH", "PIP_USER", "PIP_TARGET", "PIP_QUIET"]
    kept = ["PIP_INDEX_URL", "PIP_CERT", "PIP_PROXY", "HTTPS_PROXY", "JUPYTER_PATHS"]
    env = start.environment(dict.fromkeys(dropped + kept, "x"), tmp_path)
    assert not set(dropped) & set(env) and set(kept) <= set(env)
    assert env["JUPYTER_PREFER_ENV_PATH"] == "1" and env["VIRTUAL_ENV"] == str(tmp_path)


# ---- progress


def test_progress_counts_each_package_once():
    lines = [f"Collecting p{number}==1 (from -r requirements.txt)" for number in range(60)]
    lines += ["Requirement already satisfied: p1 in x"] * 50
    lines += ["Installing collected packages: a, b, c"]

    def shown(live):
        out = io.StringIO()
        out.isatty = lambda: live
        progress = start.Progress("en", out)
        for line in lines:
            progress(line)
        return out.getvalue()

    assert shown(False).splitlines() == [
        "  packages looked up: 25",
        "  packages looked up: 50",
        "  unpacking 3 packages ...",
    ]
    assert shown(True).count("\r") == 60
    assert shown(True).endswith("\r  packages looked up: 60\n  unpacking 3 packages ...\n")


# ---- faults, each with its way out


@pytest.mark.parametrize("value", ["0", "65536", "x", "", "-1", "8888 ", "\uff18\uff18", "1e3"])
def test_no_port(value):
    with pytest.raises(start.Fault, match="port"):
        start.check_port(value)


def test_port_in_use(bare):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = fault_of(start_in(bare, "--port", port))
        assert f"Port {port} is in use" in said and "--port 8899" in said
        assert f"連接埠 {port} 已被占用" in fault_of(start_in(bare, "--lang=zh", "--port", port))
    assert not (bare / ".venv").exists()
    assert "--ServerApp.port_retries=0" in start.jupyter_options(bare, "x", port)
    start.check_port(port)


def test_unknown_language(bare):
    assert "use --lang en or --lang zh-TW" in fault_of(start_in(bare, "--lang", "fr"))
    assert "請用 --lang en" in fault_of(start_in(bare, "--lang", LANG="zh_TW"))


def test_incomplete_download(bare):
    (bare / "requirements.txt").unlink()
    assert "requirements.txt is missing" in fault_of(start_in(bare))
    shutil.rmtree(bare / "notebooks" / "en")
    assert "notebooks/en/*.ipynb is missing" in fault_of(start_in(bare))


def test_no_ensurepip(bare, tmp_path):
    """As on Debian without python3-venv."""
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['ensurepip'] = None")
    said = fault_of(start_in(bare, PYTHONPATH=str(tmp_path)))
    assert "sudo apt install python{}.{}-venv".format(*sys.version_info[:2]) in said


@on_posix
def test_read_only_folder(bare):
    before = ()
    if os.geteuid() == 0:  # root may write anywhere, unless it gives that right up
        before = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
        if not shutil.which("setpriv"):
            pytest.skip("root writes to read-only folders, and setpriv is not installed")
    bare.chmod(0o555)
    try:
        if subprocess.run([*before, "touch", bare / "x"], capture_output=True).returncode == 0:
            pytest.skip("root may not give up its right to write to read-only folders")
        said = fault_of(start_in(bare, before=before))
    finally:
        bare.chmod(0o755)
    assert f"{bare} cannot be written: move the course to a folder of your own" in said


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("was not created successfully because ensurepip is not", "no_venv"),
        ("OSError: [Errno 28] No space left on device: '/x'", "disk"),
        ("[WinError 112] 磁碟空間不足。", "disk"),
        ("PermissionError: [WinError 5] 存取被拒。: 'python.exe'", "readonly"),
        ("OSError: [Errno 30] Read-only file system", "readonly"),
        ("WARNING: Retrying (...) after connection broken by 'ReadTimeoutError(...)'", "network"),
        ("ERROR: Could not find a version that satisfies x (from versions: none)", "network"),
        ("ERROR: Could not find a version that satisfies x (from versions: 1, 2)", "failed"),
    ],
)
def test_what_the_output_gives_away(line, key):
    fault = start.fault_in(["Collecting x", line], "pip", "/the/course")
    assert fault.key == key
    assert all(start.text(lang, fault.key, **fault.values) for lang in ("en", "zh-TW"))


@pytest.fixture
def with_index(course):
    """A function: let the tests of the course need a package from an index of this address."""
    ready(course)
    kept = (course / "requirements-dev.txt").read_text("utf-8")

    def need(index):
        (course / "requirements-dev.txt").write_text("memora-needs-this\n", "utf-8")
        return {"PIP_NO_INDEX": None, "PIP_INDEX_URL": index, "PIP_RETRIES": "0"}

    yield need
    assert not (course / ".venv" / "memora-ready").exists()
    # Nothing was installed, so that .venv is as good as before: spare the next test the time.
    (course / "requirements-dev.txt").write_text(kept, "utf-8")
    (course / ".venv" / "memora-ready").write_text("\n".join(start.stamp(course, None)), "ascii")


def test_no_network(course, with_index):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        index = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
    said = fault_of(start_in(course, "test", **with_index(index)))
    assert "Check the connection and start again" in said and "HTTPS_PROXY" in said


def test_another_failure_of_pip_is_shown(bare):
    (bare / "requirements.txt").write_text("./nothing.whl\n", "utf-8")
    said = fault_of(start_in(bare))
    assert said.startswith("pip failed.") and "nothing.whl" in said


# ---- being ended


def wait_for(condition, seconds=15):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
    return value


@on_posix
@pytest.mark.parametrize(("number", "status"), [("INT", 130), ("TERM", 143), ("HUP", 129)])
def test_ended_while_pip_runs(course, with_index, number, status):
    with socket.create_server(("127.0.0.1", 0)) as mute:  # takes the request, never answers
        index = f"http://127.0.0.1:{mute.getsockname()[1]}/simple"
        environ = user_environment(**with_index(index))
        process = subprocess.Popen(
            [sys.executable, "start.py", "test"],
            cwd=course,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        mute.settimeout(30)
        connection, _ = mute.accept()
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        process.send_signal(getattr(signal, "SIG" + number))
        _, said = process.communicate(timeout=15)
        # While the index still keeps it waiting: pip was ended, it did not give up.
        assert not any(child.is_running() for child in children)
        connection.close()
    assert process.returncode == status and "Traceback" not in said
    assert ("Stopped." in said) == (number == "INT")


# ---- the real JupyterLab


@pytest.fixture(scope="module")
def real_course(course):
    """The course, its .venv lent the packages that these tests run with."""
    pytest.importorskip("jupyterlab")
    ready(course)
    venv = course / ".venv"
    site = next(venv.glob("lib/python*/site-packages"))
    for stand_in in site.glob("jupyterlab*"):
        shutil.rmtree(stand_in)
    (site / "lent.pth").write_text(str(Path(psutil.__file__).parent.parent), "utf-8")
    (venv / "share").symlink_to(Path(sys.prefix) / "share")
    yield course
    (venv / "memora-ready").unlink()


def prefix_of(kernel):
    """Ask a kernel which Python it is, once it is up."""
    jupyter_client = pytest.importorskip("jupyter_client")
    client = jupyter_client.BlockingKernelClient()
    client.load_connection_file(kernel.cmdline()[-1])
    client.start_channels()
    try:
        client.wait_for_ready(30)
        said = []
        client.execute_interactive(
            "import sys; print(sys.prefix)", timeout=30, output_hook=said.append
        )
    finally:
        client.stop_channels()
    return "".join(message["content"].get("text", "") for message in said).strip()


@on_posix
@pytest.mark.parametrize("number", ["INT", "TERM", "KILL"])
def test_jupyterlab_runs_the_right_kernel_and_leaves_no_orphan(real_course, tmp_path, number):
    # A kernel of the same name in the user's folders, which must not win.
    other = tmp_path / "share" / "jupyter" / "kernels" / "python3"
    other.mkdir(parents=True)
    broken = {"argv": ["false", "{connection_file}"], "display_name": "x", "language": "python"}
    (other / "kernel.json").write_text(json.dumps(broken), "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environ = user_environment(HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path / "share"))
    environ |= {
        "JUPYTER_CONFIG_DIR": str(tmp_path),
        "JUPYTER_PATH": str(tmp_path / "share/jupyter"),
    }
    environ["JUPYTER_PREFER_ENV_PATH"] = "0"
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"):
        environ.pop(name, None)
    command = [sys.executable, "start.py", "--no-browser", "--port", str(port)]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--IdentityProvider.token=t"],
            cwd=real_course,
            env=environ,
            stdout=log,
            stderr=subprocess.STDOUT,
        )

    def ask(path, **content):
        address = f"http://127.0.0.1:{port}{path}?token=t"
        data = json.dumps(content).encode() if content else None
        try:
            with urllib.request.urlopen(urllib.request.Request(address, data), timeout=10) as reply:
                return reply.read().decode()
        except OSError:
            return None

    try:
        wait_for(lambda: ask("/api/status"), 30)
        assert "jupyter-config-data" in ask("/lab/tree/notebooks/en/00%20%E5%85%88%E7%9C%8B.ipynb")
        assert "nbformat" in ask("/api/contents/notebooks/en/00%20%E5%85%88%E7%9C%8B.ipynb")
        assert ask("/api/kernels", name="python3")
        [kernel] = psutil.Process(process.pid).children()
        assert prefix_of(kernel) == str(real_course / ".venv")
        process.send_signal(getattr(signal, "SIG" + number))
        status = process.wait(15)
        wait_for(lambda: not kernel.is_running() or kernel.status() == psutil.STATUS_ZOMBIE)
    finally:
        process.kill()
        process.wait()
    said = (tmp_path / "log").read_text("utf-8")
    assert "Traceback" not in said, said
    assert status == (-signal.SIGKILL if number == "KILL" else 0), said


# ---- the files beside it


def test_the_pins_hold_what_the_package_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = (ROOT / "requirements.txt").read_bytes().decode("ascii").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins.pop() == "-e ."
    assert all(re.match(r"[a-z0-9-]+==[\w.]+( ; .+)?$", pin) for pin in pins)
    dev = []
    for name in dict.fromkeys(start.with_included(ROOT, "requirements-dev.txt")):
        file = (ROOT / name).read_bytes().decode("ascii").splitlines()
        lines = [line for line in file if not line.startswith(("#", "-"))]
        assert not set(dev) & set(lines), name
        dev += lines
    assert set(pins) < set(dev)

    def names(requirements):
        return {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}

    assert names(project["dependencies"] + extras["course"]) <= names(pins)
    assert names([name for extra in extras.values() for name in extra]) <= names(dev)


def test_jupyterlab_shows_no_news():
    settings = json.loads((ROOT / "lab_settings" / "overrides.json").read_text("utf-8"))
    notification = settings["@jupyterlab/apputils-extension:notification"]
    assert notification == {"fetchNews": "false", "checkForUpdates": False}
