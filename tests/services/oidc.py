"""A small real OpenID Connect provider on loopback: discovery, code flow with PKCE, RS256, JWKS; faults on demand."""

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import padding, rsa

CLIENT_ID, CLIENT_SECRET = "pumper-ozaukee", "a secret between the two"
Fault = Literal[
    "", "nonce", "no nonce", "audience", "more audiences", "expired", "alg none", "hs256", "issuer", "unknown key",
    "signature", "at_hash", "no id token", "other client's code", "discovery issuer", "http endpoint", "iss in answer",
    "denied", "down",
]  # fmt: skip


@dataclass
class OidcProvider:
    """The provider and what it is to say of whoever comes: `now`: its clock, in seconds; `fault`: how it lies."""

    issuer: str
    now: int = 0
    subject: str = "subject-1"
    claims: dict[str, Any] = field(default_factory=dict)
    fault: Fault = ""
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def authorize(self, query: dict[str, str]) -> str:
        """The address that the browser is sent back to."""
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        answer = {"code": code, "state": query["state"], "iss": self.issuer}
        if self.fault == "denied":
            answer = {"error": "access_denied", "state": query["state"]}
        if self.fault == "iss in answer":
            answer["iss"] = "https://elsewhere.example"
        return query["redirect_uri"] + "?" + urlencode(answer)

    def token(self, header: str, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """The answer of the token endpoint: a code works once, with its verifier and the client's secret."""
        begun = self.codes.pop(form.get("code", ""), None)
        given = base64.b64decode(header.removeprefix("Basic ")).decode()
        if unquote(given) != f"{CLIENT_ID}:{CLIENT_SECRET}":
            return 401, {"error": "invalid_client"}
        challenge = _b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if begun is None or challenge != begun["code_challenge"] or form["redirect_uri"] != begun["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        if self.fault == "other client's code":
            return 400, {"error": "invalid_grant"}
        access = secrets.token_urlsafe(16)
        body = {"access_token": access, "token_type": "Bearer", "expires_in": 60}
        if self.fault != "no id token":
            body["id_token"] = self.id_token(begun["nonce"], access)
        return 200, body

    def id_token(self, nonce: str, access: str) -> str:
        """An ID token, with the fault that was ordered."""
        half = hashlib.sha256(access.encode()).digest()[:16]
        claims: dict[str, Any] = {
            "iss": self.issuer, "sub": self.subject, "aud": CLIENT_ID, "nonce": nonce, "at_hash": _b64(half),
            "iat": self.now, "exp": self.now + 300, **self.claims,
        }  # fmt: skip
        changes: dict[str, dict[str, Any]] = {
            "nonce": {"nonce": "another"},
            "audience": {"aud": "somebody-else"},
            "more audiences": {"aud": [CLIENT_ID, "somebody-else"], "azp": CLIENT_ID},
            "expired": {"exp": self.now - 61},
            "issuer": {"iss": "https://elsewhere.example"},
            "at_hash": {"at_hash": _b64(b"0" * 16)},
        }
        claims |= changes.get(self.fault, {})
        if self.fault == "no nonce":
            del claims["nonce"]
        algorithm = {"alg none": "none", "hs256": "HS256"}.get(self.fault, "RS256")
        kid = "2" if self.fault == "unknown key" else "1"
        signed = f"{_json({'alg': algorithm, 'kid': kid, 'typ': 'JWT'})}.{_json(claims)}"
        return f"{signed}.{_b64(self._sign(algorithm, signed.encode()))}"

    def _sign(self, algorithm: str, signed: bytes) -> bytes:
        if algorithm == "none":
            return b""
        if algorithm == "HS256":  # the public key as a secret: a mix-up of algorithms
            mac = hmac.HMAC(json.dumps(self.jwks()["keys"][0]).encode(), hashes.SHA256())
            mac.update(signed)
            return mac.finalize()
        key = rsa.generate_private_key(65537, 2048) if self.fault in ("unknown key", "signature") else self.key
        return key.sign(signed, padding.PKCS1v15(), hashes.SHA256())

    def jwks(self) -> dict[str, Any]:
        """The public key."""
        numbers = self.key.public_key().public_numbers()
        n, e = (_b64(value.to_bytes((value.bit_length() + 7) // 8, "big")) for value in (numbers.n, numbers.e))
        return {"keys": [{"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256", "n": n, "e": e}]}

    def configuration(self) -> dict[str, Any]:
        """The discovery document."""
        issuer = "https://elsewhere.example" if self.fault == "discovery issuer" else self.issuer
        token = "http://elsewhere.example/token" if self.fault == "http endpoint" else f"{self.issuer}/token"
        return {
            "issuer": issuer, "authorization_endpoint": f"{self.issuer}/authorize", "token_endpoint": token,
            "jwks_uri": f"{self.issuer}/jwks", "authorization_response_iss_parameter_supported": True,
        }  # fmt: skip


@contextmanager
def running_oidc_provider() -> Iterator[OidcProvider]:
    """A provider on a free port of loopback, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.asked.append(parts.path)
            if provider.fault == "down":
                self._send(503, {})
            elif parts.path == "/.well-known/openid-configuration":
                self._send(200, provider.configuration())
            elif parts.path == "/jwks":
                self._send(200, provider.jwks())
            elif parts.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(_flat(parts.query)))
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self._send(404, {})

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            form = _flat(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._send(*provider.token(self.headers.get("Authorization", ""), form))

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = OidcProvider(issuer=f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def _flat(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}


def _json(value: Any) -> str:
    return _b64(json.dumps(value).encode())


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
