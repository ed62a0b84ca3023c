"""Certificates that are read once in a process: OpenSSL takes longer for them than most tests take."""

from __future__ import annotations

import functools
import os
import ssl

import httpcore2
import pytest


def read_once(patch: pytest.MonkeyPatch) -> None:
    """Keep what ssl and the SDKs' transport read, the latter for each value of the variables that it looks at."""
    read = httpcore2.default_ssl_context

    @functools.cache
    def of_variables(trusted: bool, *variables: str | None) -> ssl.SSLContext:
        return read(_trust_env=trusted)

    def once(*, _trust_env: bool = True) -> ssl.SSLContext:
        return of_variables(_trust_env, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))

    patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
    patch.setattr(httpcore2, "default_ssl_context", once)
