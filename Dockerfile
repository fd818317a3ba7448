# The service in one image: `pumper web`, `pumper worker`, `pumper init` and every other command.
# Build: docker build --tag pumper .      Everything that is installed is pinned by hash in requirements/run.txt.
FROM python:3.12-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/pumper
WORKDIR /src
COPY requirements/run.txt requirements/run.txt
RUN /opt/pumper/bin/pip install --require-hashes --only-binary :all: --requirement requirements/run.txt
COPY pyproject.toml README.md wsgi.py ./
COPY migrations migrations
COPY schemas schemas
COPY reporting reporting
COPY notifications notifications
RUN /opt/pumper/bin/pip install --no-index --no-deps --no-build-isolation .

FROM python:3.12-slim-bookworm
# pg_dump is not needed: `pumper backup` writes a form of its own (docs/operation.md).
RUN useradd --system --uid 10001 --home-dir /var/lib/pumper --create-home pumper
COPY --from=build /opt/pumper /opt/pumper
ENV PATH=/opt/pumper/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PUMPER_BIND=0.0.0.0 \
    PUMPER_SIGNING_KEY_FILE=/var/lib/pumper/signing.key \
    DATABASE_URL=sqlite:////var/lib/pumper/pumper.db
USER pumper
WORKDIR /var/lib/pumper
VOLUME /var/lib/pumper
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ.get(\"PORT\", \"8000\")}/healthz', timeout=4)"]
ENTRYPOINT ["pumper"]
CMD ["serve"]
