"""A server of wheels that keeps to its word, or does not, by the first folder of the address."""

import hashlib
import http.server
import json
import re
import ssl
import threading
import time


class WheelServer:
    """Serves files by name; `requests` has the path and range of each request, `sent` the bytes of bodies."""

    def __init__(self, files, tls=None):
        """`tls` is the file of a certificate and its key, for a server of https."""
        self.files = files
        self.requests = []
        self.sent = 0
        self.refused = {}
        self.page_headers = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                server.answer(self)

            def log_message(self, *words):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        if tls:
            self.http.handle_error = lambda request, client: None  # of clients that do not trust it
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.http.server_port}"

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def answer(self, request):
        asked = request.headers.get("Range", "")
        self.requests.append((request.path, asked))
        mode, _, name = request.path.strip("/").partition("/")
        if mode == "simple":
            return self.send_page(request, name)
        if name not in self.files:
            return self.send(request, 404, b"")
        redirects = {"moved": f"/ok/{name}", "login": f"http://me:secret@127.0.0.1:{self.http.server_port}/ok/{name}"}
        if mode in redirects:
            return self.send(request, 302, b"", [("Location", redirects[mode])])
        if mode in ("busy", "limited"):
            count = self.refused[name] = self.refused.get(name, 0) + 1
            if mode == "busy" or count % 3:
                return self.send(request, 429 if mode == "limited" else 503, b"", [("Retry-After", "0")])
        self.send_file(request, mode, self.files[name], asked)

    def send_file(self, request, mode, content, asked):
        etag = f'"{len(self.requests)}"' if mode == "changing" else '"1"'
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", asked)
        if mode == "whole" or not found or (mode == "nosuffix" and not found[1]):
            if mode == "nosuffix":
                return self.send(request, 501, b"")
            return self.send(request, 200, content, [("ETag", etag)])
        first = int(found[1]) if found[1] else max(0, len(content) - int(found[2]))
        last = min(len(content) - 1, int(found[2])) if found[1] else len(content) - 1
        part = content[first:last + 1]
        headers = [("ETag", etag), ("Content-Range", f"bytes {first}-{last}/{len(content)}")]
        if mode == "short" and found[1]:
            part = part[:len(part) // 2]
        if mode == "cut" and found[1]:
            request.send_response(206)
            for key, value in [*headers, ("Content-Length", str(len(part)))]:
                request.send_header(key, value)
            request.end_headers()
            request.wfile.write(part[:len(part) // 2])
            request.close_connection = True
            return None
        if mode == "slow" and found[1]:
            time.sleep(4)
        return self.send(request, 206, part, headers)

    def send_page(self, request, name):
        project = name.strip("/").replace("-", "_")
        files = [{"filename": wheel, "url": f"/ok/{wheel}", "size": len(content),
                  "hashes": {"sha256": hashlib.sha256(content).hexdigest()}}
                 for wheel, content in self.files.items() if wheel.startswith(project + "-")]
        page = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files}).encode()
        kind = ("Content-Type", "application/vnd.pypi.simple.v1+json")
        return self.send(request, 200 if files else 404, page, [kind, *self.page_headers])

    def send(self, request, status, body, headers=()):
        self.sent += len(body)
        try:
            request.send_response(status)
            for key, value in [*headers, ("Content-Length", str(len(body)))]:
                request.send_header(key, value)
            request.end_headers()
            request.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass
