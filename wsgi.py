"""For any WSGI server: `wsgi:app`, made when the worker loads it, so never before a fork (do not preload)."""

from reporting.api.server import application

app = application()
