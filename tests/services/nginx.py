"""A real nginx in front of web nodes, with what deploy/nginx tells it to pass on."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.services.availability import ServiceUnavailable

PASSED_ON = Path(__file__).resolve().parents[2] / "deploy" / "nginx" / "pumper.conf"
UP_WITHIN = 10.0
_WHOLE = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 128; }}
http {{
    log_format nodes '$status $upstream_addr';
    access_log {folder}/access.log nodes;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    upstream pumper {{ {servers} keepalive 16; }}
    ssl_certificate {folder}/tls.crt; ssl_certificate_key {folder}/tls.key;
    server {{ listen 127.0.0.1:{port} ssl; location / {{ include {passed_on}; proxy_pass http://pumper; }} }}
}}
"""


@contextmanager
def running_nginx(nodes: Sequence[int], port: int, folder: Path) -> Iterator[Path]:
    """nginx with TLS on `port`, sharing calls out among the nodes' ports; gives its log of status and node.

    Raises ServiceUnavailable.
    """
    found = shutil.which("nginx")
    if found is None:
        raise ServiceUnavailable("nginx is not installed")
    make_certificate(folder)
    servers = " ".join(f"server 127.0.0.1:{node} max_fails=1 fail_timeout=2s;" for node in nodes)
    text = _WHOLE.format(folder=folder, servers=servers, port=port, passed_on=PASSED_ON)
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    process = subprocess.Popen(
        [found, "-c", str(folder / "nginx.conf"), "-p", str(folder)],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + UP_WITHIN
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > end:
                log = folder / "error.log"
                said = log.read_text(errors="replace")[-400:] if log.exists() else "it said nothing"
                raise ServiceUnavailable(f"nginx did not start: {said}")
            time.sleep(0.05)
        yield folder / "access.log"
    finally:
        process.terminate()
        process.wait(10)


def make_certificate(folder: Path) -> None:
    """`tls.crt` and `tls.key` of 127.0.0.1, for two days. Raises ServiceUnavailable."""
    if shutil.which("openssl") is None:
        raise ServiceUnavailable("openssl is not installed")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.crt")]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
