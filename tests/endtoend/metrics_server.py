"""Serves a file as the metrics of an exporter, and plays servers that are no Prometheus.

    metrics_server.py METRICS PORT_FILE [CERTIFICATE]

Listens at a free port of this machine, which it writes to PORT_FILE; with TLS if there is a
CERTIFICATE, a file that has its key, too. `/metrics` is METRICS as it stands now, `/to/URL`
redirects to that URL; what begins with the name of a fault below goes wrong in that way.
"""

import http.server
import os
import ssl
import sys
import time

ANSWER = b'{"status":"success","data":{"resultType":"matrix","result":[]}}'


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.split("/")[1].split("?")[0]
        getattr(self, "serve_" + name, self.serve_missing)()

    def answer(self, body, status=200, kind="application/json", length=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def serve_metrics(self):
        with open(sys.argv[1], "rb") as metrics:
            self.answer(metrics.read(), kind="text/plain; version=0.0.4")

    def serve_missing(self):
        self.answer(b"<html>not here</html>", status=404, kind="text/html")

    def serve_hangs(self):
        time.sleep(60)

    def serve_drips(self):
        self.send_response(200)
        self.end_headers()
        for byte in ANSWER * 100:
            self.wfile.write(bytes([byte]))
            time.sleep(0.05)

    def serve_fails(self):
        self.answer(b"", status=500)

    def serve_pages(self):
        self.answer(b"<html>Log in, please</html>", kind="text/html; charset=utf-8")

    def serve_cuts(self):
        self.answer(ANSWER[:40], length=len(ANSWER))

    def serve_stops(self):
        self.answer(ANSWER[:40])

    def redirect(self, target):
        self.send_response(302)
        self.send_header("Location", target)
        self.end_headers()

    def serve_circles(self):
        self.redirect(self.path)

    def serve_to(self):
        self.redirect(self.path.removeprefix("/to/").split("/api/")[0])

    def serve_empty(self):
        self.answer(ANSWER)

    def serve_lies(self):
        self.answer(ANSWER.replace(b"[]", b'[{"metric":{"from":"a","to":"b"},"values":[[%d,"-1"]]}]'
                                   % (time.time() - 1)))

    def serve_floods(self):
        self.send_response(200)
        self.end_headers()
        megabyte = b" " * (1 << 20)
        for _ in range(1 << 12):
            self.wfile.write(megabyte)

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(sys.argv[2] + ".new", "w", encoding="utf-8") as port:
        port.write(str(server.server_port))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    server.serve_forever()


if __name__ == "__main__":
    main()
