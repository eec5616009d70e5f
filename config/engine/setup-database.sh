#!/bin/sh
# Makes the engine's two databases and brings their tables to this version. Safe to run again. SQL_PASSWORD_FILE holds the password.
set -eu

SQL_PASSWORD=$(cat "$SQL_PASSWORD_FILE")
export SQL_PASSWORD

setup() {
  sql() { temporal-sql-tool --plugin postgres12 --ep "$SQL_HOST" --port 5432 --user "$SQL_USER" --db "$1" "$2" $3; }
  sql "$1" create ''
  sql "$1" setup-schema '-v 0.0'
  sql "$1" update-schema "-d /etc/temporal/schema/postgresql/v12/$2/versioned"
}

setup temporal temporal
setup temporal_visibility visibility
