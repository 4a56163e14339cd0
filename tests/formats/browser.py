"""Drives a headless Chromium over a pipe, by its DevTools protocol, without any library."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def browser_path():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. What it logs and asks the network for is kept."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="cudald-browser-", ignore_cleanup_errors=True)
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()

        def place_pipes():
            os.dup2(to_child, 10)  # out of the way: one of them may be 3 or 4 itself
            os.dup2(from_child, 11)
            os.dup2(10, 3)
            os.dup2(11, 4)

        self.process = subprocess.Popen(
            [browser_path(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            close_fds=False, preexec_fn=place_pipes, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self.rest = b""
        self.number = 0
        self.events = []
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = None
        self.session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()

    def ask(self, method, params=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        number = self.number
        while True:
            answer = self._next(60)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next(self, seconds):
        deadline = time.monotonic() + seconds
        while b"\0" not in self.rest:
            if not select.select([self.read_end], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser says nothing")
            self.rest += os.read(self.read_end, 1 << 20)
        line, self.rest = self.rest.split(b"\0", 1)
        answer = json.loads(line)
        if "method" in answer:
            self.events.append(answer)
        return answer

    def open(self, path, dark=False, width=1200, height=1000):
        """Opens a file; forgets what was logged before."""
        self.events.clear()
        self.ask("Emulation.setDeviceMetricsOverride",
                 {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.ask("Emulation.setEmulatedMedia",
                 {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        url = pathlib.Path(os.path.abspath(path)).as_uri()
        self.ask("Page.navigate", {"url": url})
        deadline = time.monotonic() + 60
        while self.value("location.href + ' ' + document.readyState") != url + " complete":
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} is not loaded")
            time.sleep(0.05)

    def value(self, expression):
        answer = self.ask("Runtime.evaluate",
                          {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def complaints(self):
        """What went wrong in the page: errors of scripts, of its policy, and requests to anywhere else."""
        found = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"]["text"])
            if event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            if event["method"] == "Network.requestWillBeSent" and not params["request"]["url"].startswith("file:"):
                found.append(params["request"]["url"])
        return found

    def screenshot(self, path):
        data = self.ask("Page.captureScreenshot", {"format": "png"})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
