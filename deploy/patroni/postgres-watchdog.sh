#!/bin/sh
# Kills a primary that stands still: a disk that does not answer, a frozen process. Patroni then has a standby take over at once;
# by itself it would wait for its own question to PostgreSQL until its key expires (ttl), and then two seconds more.
# Runs as the user of PostgreSQL, beside Patroni (postgres-watchdog.service).
#   postgres-watchdog.sh DATA_DIR BIN_DIR HOST PORT
data=$1 bin=$2 host=$3 port=$4
silent=0
while sleep 0.1; do
  pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null)
  # The eighth line says `ready` of a primary that is up: a standby, a start and a stop are Patroni's business.
  case $(sed -n 8p "$data/postmaster.pid" 2>/dev/null) in
    ready*) ;;
    *) silent=0; continue ;;
  esac
  # The file outlives a crash: its number may be another process's by now.
  if [ "$(readlink "/proc/$pid/cwd")" != "$(readlink -f "$data")" ]; then
    silent=0
    continue
  fi
  timeout 0.6 "$bin/pg_isready" -q -h "$host" -p "$port"
  # 0: takes connections; 1: refuses them, and says so.
  if [ $? -le 1 ]; then
    silent=0
    continue
  fi
  silent=$((silent + 1))
  [ "$silent" -ge 3 ] || continue
  silent=0
  echo "PostgreSQL ($pid) has not answered for two seconds and is killed" >&2
  pkill -KILL -P "$pid"
  kill -KILL "$pid"
done
