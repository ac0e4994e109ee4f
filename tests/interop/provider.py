"""A model provider on loopback, so that the published harness shows what its tools answer.

The harness reaches its provider over HTTPS. It is pointed at a proxy here, which ends TLS with a
certificate of the test and plays the provider: an agent that lists, reads everything it may, and
submits what it was told to. Nothing leaves the machine.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPMessage, parse_headers
from io import BufferedIOBase
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

HOST = "openrouter.ai"
MODEL = "fake/agent"
READS_PER_TURN = 12

Plan = Mapping[str, Mapping[str, Any]]
"""Project id to occurrence id to the submission of that gate."""


def answer(path: str, body: bytes, plan: Plan) -> dict[str, Any]:
    """What the provider replies to one request."""
    if path.endswith("/chat/completions"):
        calls = _next_calls(json.loads(body)["messages"], plan)
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        return {
            "id": "answer",
            "model": MODEL,
            "provider": "Fake",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "cost": 1e-6},
        }
    model = {
        "id": MODEL,
        "name": MODEL,
        "context_length": 1_000_000,
        "architecture": {"input_modalities": ["text"]},
        "pricing": {"prompt": "0.000001", "completion": "0.000001"},
        "supported_parameters": ["tools", "tool_choice", "temperature", "max_tokens"],
    }
    return {"data": [model] if path.endswith("/models") else {}}


def _next_calls(messages: list[dict[str, Any]], plan: Plan) -> list[dict[str, Any]]:
    answered = [m for m in messages if m["role"] == "tool"]
    if not answered:
        return [_call(0, "list_evidence", {})]
    listed = [row["evidence_id"] for row in json.loads(answered[0]["content"])["evidence"]]
    wanted = [*listed, "UPSTREAM_DECISIONS", "NO_SUCH_ID", "REVIEW_FACTS_GENERAL"]
    rest = wanted[len(answered) - 1 :][:READS_PER_TURN]
    if rest:
        return [
            _call(len(answered) + n, "read_evidence", {"evidence_id": evidence_id})
            for n, evidence_id in enumerate(rest)
        ]
    return [_call(len(answered), "submit_gate_decision", _submission(messages, plan))]


def _call(number: int, name: str, arguments: object) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call-{number}", "type": "function", "function": function}


def _submission(messages: list[dict[str, Any]], plan: Plan) -> object:
    """The planned submission of the gate whose occurrence the prompt names first."""
    prompt = json.dumps(messages[:2])
    named = [
        (prompt.index(occurrence), submission)
        for project, gates in plan.items()
        if project in prompt
        for occurrence, submission in gates.items()
        if occurrence in prompt
    ]
    if named:
        return min(named, key=lambda pair: pair[0])[1]
    return {
        "disposition": "NO_GO",
        "finding_ids": [],
        "actions": [],
        "evidence_refs": [],
        "evidence_support": [],
        "authorization_required": False,
        "rationale": "none",
        "confidence": 1,
    }


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    plan: Plan
    tls: ssl.SSLContext


class _Tunnel(socketserver.StreamRequestHandler):
    """One CONNECT tunnel and the requests in it."""

    server: _Server

    def handle(self) -> None:
        self.rfile.readline()
        parse_headers(self.rfile)
        self.connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        with self.server.tls.wrap_socket(self.connection, server_side=True) as tunnel:
            requests = tunnel.makefile("rb")
            while request := _request(requests):
                reply = json.dumps(answer(*request, self.server.plan)).encode()
                length = f"Content-Length: {len(reply)}\r\n\r\n".encode()
                tunnel.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + length)
                tunnel.sendall(reply)


def _request(stream: BufferedIOBase) -> tuple[str, bytes] | None:
    line = stream.readline().split()
    if not line:
        return None
    headers: HTTPMessage = parse_headers(stream)
    return line[1].decode(), stream.read(int(headers.get("Content-Length", 0)))


@contextmanager
def provider(folder: Path, plan: Plan) -> Iterator[dict[str, str]]:
    """Run the provider; gives the environment that leads a program to it."""
    authority, chain = _certificates(folder)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(chain)
    with _Server(("127.0.0.1", 0), _Tunnel) as server:
        server.plan, server.tls = plan, tls
        threading.Thread(target=server.serve_forever, daemon=True).start()
        proxy = f"http://127.0.0.1:{server.server_address[1]}"
        yield {
            **os.environ,
            "HTTPS_PROXY": proxy,
            "https_proxy": proxy,
            "NO_PROXY": "",
            "no_proxy": "",
            "SSL_CERT_FILE": str(authority),
            "REQUESTS_CA_BUNDLE": str(authority),
            "OPENROUTER_API_KEY": "no-key-at-all",
        }
        server.shutdown()


def run_harness(
    reference: str, dataset: Path, target: Path, *, condition: str, plan: Plan
) -> dict[str, dict[str, Any]]:
    """Let the published harness run the agent; folder name and file stem to each JSON file."""
    target.mkdir(parents=True)
    command = [reference, "resume", "--dataset", str(dataset), "--models", MODEL]
    command += ["--output-dir", str(target / "run"), "--information-condition", condition]
    command += ["--max-cost-usd", "5", "--workers", "2", "--max-turns", "30"]
    command += ["--max-tool-calls", "200"]
    with provider(target, plan) as environment:
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=1200)
    return {
        f"{path.parent.name}/{path.stem}": json.loads(path.read_text("utf-8"))
        for path in sorted((target / "run").glob("*/*/*.json"))
    }


def _certificates(folder: Path) -> tuple[Path, Path]:
    """An authority of the test, and the chain with key of the host it vouches for."""
    issuer_key, issuer = _certificate("Authority of a test", None, None)
    key, certificate = _certificate(HOST, issuer_key, issuer)
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    authority, chain = folder / "authority.pem", folder / "chain.pem"
    authority.write_bytes(issuer.public_bytes(pem))
    chain.write_bytes(certificate.public_bytes(pem) + secret)
    return authority, chain


def _certificate(
    name: str, signing_key: rsa.RSAPrivateKey | None, issuer: x509.Certificate | None
) -> tuple[rsa.RSAPrivateKey, x509.Certificate]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    signer = signing_key or key
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=7))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
    )
    if issuer is not None:
        names = x509.SubjectAlternativeName([x509.DNSName(name)])
        builder = builder.add_extension(names, critical=False)
    return key, builder.sign(signer, hashes.SHA256())
