#!/bin/sh
# Two roles on a fresh PostgreSQL: pumper_owner owns the tables and upgrades them, pumper_app is the service and owns
# nothing, so that row security keeps the counties apart whatever the service asks (docs/operation.md, "PostgreSQL").
# Needs POSTGRES_USER, POSTGRES_DB, OWNER_PASSWORD and APP_PASSWORD in the environment.
set -eu
psql --set ON_ERROR_STOP=1 --no-psqlrc --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set owner_password="$OWNER_PASSWORD" --set app_password="$APP_PASSWORD" --set db="$POSTGRES_DB" <<'SQL'
CREATE ROLE pumper_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE pumper_app LOGIN PASSWORD :'app_password';
ALTER DATABASE :"db" OWNER TO pumper_owner;
REVOKE ALL ON DATABASE :"db" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"db" TO pumper_app;
ALTER SCHEMA public OWNER TO pumper_owner;
GRANT USAGE ON SCHEMA public TO pumper_app;
SQL
