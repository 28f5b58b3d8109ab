#!/usr/bin/env bash
# Runs a command with DATABASE_URL of a temporary PostgreSQL server, which ends with the command.
#
#   Scripts/with-postgresql.sh COMMAND [ARGUMENT ...]
set -euo pipefail

bin="${LIVESTORE_POSTGRESQL_BIN:-}"
for folder in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null || true)"; do
  if [[ -z "$bin" && -x "$folder/initdb" && -x "$folder/pg_ctl" ]]; then bin="$folder"; fi
done
if [[ -z "$bin" ]]; then
  printf 'PostgreSQL is not installed (Debian: apt-get install postgresql libpq-dev)\n' >&2
  exit 1
fi
folder="$(mktemp -d)"
# The server does not run as root.
as=()
if [[ "$(id -u)" == 0 ]]; then
  chown postgres "$folder"
  as=(setpriv --reuid=postgres --regid=postgres --clear-groups --)
fi
stop() {
  (cd / && "${as[@]}" "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1) || true
  rm -rf "$folder"
}
trap stop EXIT
# What they print is kept in no file: a name in the temporary folder can be taken by any user, and the server's own folder
# belongs to its user.
if ! output="$(
  exec 2>&1
  cd / &&
    "${as[@]}" "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --no-sync &&
    "${as[@]}" "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/server.log" \
      -o "-c listen_addresses= -c unix_socket_directories=$folder -c wal_level=logical -c fsync=off" start
)"; then
  printf '%s\n' "$output" >&2
  exit 1
fi
export DATABASE_URL="postgresql://postgres@/postgres?host=$folder"
"$@"
