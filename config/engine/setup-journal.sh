#!/bin/sh
# Makes the database of the journal of sends, and the user who owns it and nothing else. Safe to run again. PGHOST and PGUSER say where and as
# whom, POSTGRES_PASSWORD_FILE holds that user's password, JOURNAL_PASSWORD_FILE the one that the new user gets.
set -eu

PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
export PGPASSWORD

psql --dbname postgres --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<'SQL'
\set password `cat "$JOURNAL_PASSWORD_FILE"`
select 'create role leadgate login' where not exists (select from pg_roles where rolname = 'leadgate') \gexec
alter role leadgate password :'password';
select 'create database leadgate owner leadgate' where not exists (select from pg_database where datname = 'leadgate') \gexec
SQL
