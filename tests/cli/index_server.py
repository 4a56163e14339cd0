"""A package index that speaks the forms that indexes have, wants a login, is a proxy, or breaks its word."""

import base64
import contextlib
import hashlib
import json
import re
import socket
import threading
import time
from wheel_server import WheelServer

SECRET = "s3cret"


def basic(login):
    return "Basic " + base64.b64encode(login.encode()).decode()


class IndexServer(WheelServer):
    """`form` says how pages are written; `logins` are user:password that are let in, or None for all; `told` are the
    Authorization headers that came, by path; `faults` maps the beginning of a path to a function of (server, request)
    that answers in the server's place and returns True if it did."""

    def __init__(self, files, tls=None):
        self.form = "json"
        self.logins = None
        self.told = []
        self.accepted = []
        self.faults = {}
        self.files_at = ""
        self.metadata_hash = None
        super().__init__(files, tls)

    def answer(self, request):
        asked = request.headers.get("Range", "")
        if request.path.startswith("http://"):
            request.path = "/" + request.path.split("/", 3)[3]
        if request.path.startswith("/ok/"):
            request.path = request.path.replace("?a=1&b=2", "")
        told = request.headers.get("Authorization", "")
        self.told.append((request.path, told, request.headers.get("Host", "")))
        for start, fault in self.faults.items():
            if request.path.startswith(start) and fault(self, request):
                self.requests.append((request.path, asked))
                return None
        if self.logins is not None and not any(
                told == "Basic " + base64.b64encode(login.encode()).decode() for login in self.logins):
            self.requests.append((request.path, asked))
            return self.send(request, 401, b"", [("WWW-Authenticate", 'Basic realm="index"')])
        if request.path.endswith(".metadata"):
            self.requests.append((request.path, asked))
            return self.send(request, 200, self.metadata_of(request.path.rsplit("/", 1)[1][:-len(".metadata")]))
        return super().answer(request)

    def metadata_of(self, wheel):
        project, version = wheel.split("-")[:2]
        return f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\nRequires-Dist: absent>=3\n".encode()

    def send_page(self, request, name):
        self.accepted.append(request.headers.get("Accept", ""))
        if self.form == "json":
            return self.send_json(request, name)
        project = name.strip("/").replace("-", "_")
        links = ""
        for wheel, content in self.files.items():
            if not wheel.startswith(project + "-"):
                continue
            metadata = hashlib.sha256(self.metadata_of(wheel)).hexdigest()
            href = f"{self.files_at or '../..'}/ok/{wheel}".replace("+", "%2B")
            links += (f'<a href="{href}?a=1&amp;b=2#sha256={hashlib.sha256(content).hexdigest()}"'
                      f' data-requires-python="&gt;=3.8" data-core-metadata="sha256={metadata}">{wheel}</a><br/>\n')
        page = f"<!DOCTYPE html>\n<html><head><title>{name}</title></head><body>\n{links}</body></html>\n".encode()
        return self.send(request, 200 if links else 404, page, [("Content-Type", "text/html"), *self.page_headers])

    def send_json(self, request, name):
        project = name.strip("/").replace("-", "_")
        files = []
        for wheel, content in self.files.items():
            if not wheel.startswith(project + "-"):
                continue
            metadata = self.metadata_hash or hashlib.sha256(self.metadata_of(wheel)).hexdigest()
            files.append({"filename": wheel, "url": f"{self.files_at}/ok/{wheel}", "size": len(content),
                          "core-metadata": {"sha256": metadata},
                          "hashes": {"sha256": hashlib.sha256(content).hexdigest()}})
        page = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files}).encode()
        kind = ("Content-Type", "application/vnd.pypi.simple.v1+json")
        return self.send(request, 200 if files else 404, page, [kind, *self.page_headers])


class Tunnel:
    """A proxy that leads all that is asked of it by CONNECT to one server. `asked` are the places that were named, and
    with which login."""

    def __init__(self, port):
        self.port, self.asked = port, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.socket.close()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.lead, args=(client,), daemon=True).start()

    def lead(self, client):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(1)
        login = re.search(r"^Proxy-Authorization: (.*)\r$", head.decode(), re.M)
        self.asked.append((head.decode().split()[1], login[1] if login else ""))
        client.sendall(b"HTTP/1.1 200 Connection established\r\nEtag: \"of the proxy\"\r\n\r\n")
        server = socket.create_connection(("127.0.0.1", self.port))
        back = threading.Thread(target=self.copy, args=(server, client), daemon=True)
        back.start()
        self.copy(client, server)
        back.join()
        client.close()
        server.close()

    @staticmethod
    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


def refuses(status, times, wait):
    """A fault: the first `times` requests get `status` and are asked to wait."""
    left = [times]

    def fault(server, request):
        if left[0] == 0:
            return False
        left[0] -= 1
        server.send(request, status, b"", [("Retry-After", wait)] if wait else [])
        return True

    return fault


def unless_metadata(fault):
    return lambda server, request: not request.path.endswith(".metadata") and fault(server, request)


def moves(to):
    def fault(server, request):
        server.send(request, 302, b"", [("Location", to(request.path) if callable(to) else to)])
        return True

    return fault


def trickles(server, request):
    """Sends a byte now and then of what it promised."""
    request.send_response(200)
    request.send_header("Content-Length", "100000")
    request.end_headers()
    try:
        for _ in range(12):
            request.wfile.write(b" ")
            request.wfile.flush()
            time.sleep(0.25)
    except (BrokenPipeError, ConnectionResetError):
        pass
    request.close_connection = True
    return True


def sends(body, status=200, headers=()):
    def fault(server, request):
        server.send(request, status, body, headers)
        return True

    return fault


def cut_short(body):
    """Promises more than it sends, and hangs up."""
    def fault(server, request):
        request.send_response(200)
        request.send_header("Content-Length", str(len(body) + 100))
        request.end_headers()
        request.wfile.write(body)
        request.close_connection = True
        return True

    return fault


def another_file(contents):
    """A file that is another one at each request, of the same length and without an ETag."""
    count = [0]

    def fault(server, request):
        content = contents[count[0] % len(contents)]
        count[0] += 1
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("Range", ""))
        if not found:
            server.send(request, 200, content)
            return True
        first = int(found[1]) if found[1] else max(0, len(content) - int(found[2]))
        last = min(len(content) - 1, int(found[2])) if found[1] else len(content) - 1
        server.send(request, 206, content[first:last + 1],
                    [("Content-Range", f"bytes {first}-{last}/{len(content)}")])
        return True

    return fault
