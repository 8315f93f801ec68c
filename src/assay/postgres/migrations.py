"""The tables, version by version; the versions that a database has stand in `assay.schema_versions`.

Versions are never changed, only followed by others, and each only adds: an older assay goes on working beside a
newer one on the same database, as long as it knows the tables that it uses.

Every table belongs to tenants: a row has one, and row-level security shows it to a transaction that names that
tenant and to no other. It is forced, so it holds for the owner of the tables as well.
"""

from __future__ import annotations

import hashlib
from typing import Any

import psycopg
from psycopg import errors, sql

from assay.errors import StoreError
from assay.postgres.address import Address

# The role that every transaction takes: it owns nothing, may not log in, and cannot bypass row-level security.
ROLE = "assay_rows"
_OF_COLLECTIONS = ("collections", "documents", "passages", "vectors", "words", "metadata")
_OF_RUNS = ("runs", "events", "recordings", "tapes", "figures", "queued", "decisions", "labels", "kept_answers")
_OF_RECORD = (*_OF_RUNS, "calibrations", "calibrated")
_OF_INTAKE = ("jobs", "job_files", "uploads", "upload_parts", "open_jobs")
TABLES = (*_OF_COLLECTIONS, *_OF_RECORD, *_OF_INTAKE, "keys")
# pgvector from which a search by graph goes on until it has enough rows that fit: hnsw.iterative_scan.
_LEAST_PGVECTOR = (0, 8)
_LEAST_POSTGRES = 15

_TENANT = "tenant text COLLATE \"C\" NOT NULL DEFAULT current_setting('assay.tenant') CHECK (tenant <> '')"
# Names and ids are compared by their bytes, as SQLite does. `vectors` is apart from `passages` so that a scan
# of vectors touches no text; its column has no dimension, since each collection has its own. A value of `words` is
# packed by `assay.retrieval.index.postings`; what is packed already is not worth compressing.
_FIRST = f"""
CREATE TABLE assay.collections (
  {_TENANT}, collection bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL,
  version bigint NOT NULL DEFAULT 0, passages bigint NOT NULL DEFAULT 0, terms bigint NOT NULL DEFAULT 0,
  last_row bigint NOT NULL DEFAULT 0, unmerged integer NOT NULL DEFAULT 0, generation integer NOT NULL DEFAULT 1,
  model_id text NOT NULL, model_dimension integer NOT NULL, model_sha256 text NOT NULL,
  model_languages text NOT NULL, rebuilding text, created timestamptz NOT NULL DEFAULT now(),
  UNIQUE (tenant, name));
CREATE TABLE assay.documents (
  {_TENANT}, collection bigint NOT NULL REFERENCES assay.collections ON DELETE CASCADE,
  document_id text COLLATE "C" NOT NULL, source bytea NOT NULL, title text NOT NULL, format text NOT NULL,
  revision text NOT NULL, bytes_sha256 text NOT NULL, passages integer NOT NULL, text text NOT NULL,
  regions text NOT NULL, metadata text NOT NULL, warnings text NOT NULL, PRIMARY KEY (collection, document_id));
CREATE TABLE assay.passages (
  {_TENANT}, collection bigint NOT NULL, "row" bigint NOT NULL, passage_id text COLLATE "C" NOT NULL,
  document_id text COLLATE "C" NOT NULL, revision text NOT NULL, start integer NOT NULL, "end" integer NOT NULL,
  text text NOT NULL, title text NOT NULL, location text NOT NULL, metadata text NOT NULL, line integer,
  places text NOT NULL, header text NOT NULL, PRIMARY KEY (collection, "row"), UNIQUE (collection, passage_id),
  FOREIGN KEY (collection, document_id) REFERENCES assay.documents ON DELETE CASCADE);
CREATE INDEX passages_of_document ON assay.passages (collection, document_id);
CREATE TABLE assay.vectors (
  {_TENANT}, collection bigint NOT NULL, generation integer NOT NULL, "row" bigint NOT NULL,
  vector halfvec NOT NULL, PRIMARY KEY (collection, generation, "row"));
CREATE TABLE assay.words (
  {_TENANT}, collection bigint NOT NULL, term text COLLATE "C" NOT NULL, first_row bigint NOT NULL,
  last_row bigint NOT NULL, passages integer NOT NULL, postings bytea NOT NULL,
  PRIMARY KEY (collection, term, first_row) INCLUDE (passages));
ALTER TABLE assay.words ALTER COLUMN postings SET STORAGE EXTERNAL;
CREATE TABLE assay.metadata (
  {_TENANT}, collection bigint NOT NULL, key text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL,
  "row" bigint NOT NULL, PRIMARY KEY (collection, key, value, "row"));
CREATE INDEX metadata_of_row ON assay.metadata (collection, "row");
"""
# The setting is read once a statement, not once a row; where no tenant is set it is null, which equals nothing.
_PROTECTED = """
ALTER TABLE assay.{table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE assay.{table} FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON assay.{table} USING (tenant = (SELECT current_setting('assay.tenant', true)))
  WITH CHECK (tenant = (SELECT current_setting('assay.tenant', true)));
GRANT SELECT, INSERT, UPDATE, DELETE ON assay.{table} TO assay_rows;
"""
# A tenant's own order of labels and calibrations is that of their numbers; others may have numbers between them.
_RUN = 'run_id text COLLATE "C" NOT NULL'
_OF_RUN = "FOREIGN KEY (tenant, run_id) REFERENCES assay.runs ON DELETE CASCADE"
_VERSION = "version bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
# Version 2 added the record of runs. `question` is in JSON, since it may have NUL characters, and `folded` is it as
# a search in any case reads it.
_RECORD = f"""
CREATE TABLE assay.runs (
  {_TENANT}, {_RUN}, collection text COLLATE "C" NOT NULL, question text NOT NULL, folded text NOT NULL,
  started double precision NOT NULL, outcome text NOT NULL, PRIMARY KEY (tenant, run_id));
CREATE INDEX runs_by_start ON assay.runs (tenant, started, run_id);
CREATE INDEX runs_of_collection ON assay.runs (tenant, collection, run_id);
CREATE TABLE assay.events (
  {_TENANT}, {_RUN}, seq integer NOT NULL, at double precision NOT NULL, kind text NOT NULL, body text NOT NULL,
  PRIMARY KEY (tenant, run_id, seq), {_OF_RUN});
CREATE TABLE assay.recordings (
  {_TENANT}, {_RUN}, about text NOT NULL, PRIMARY KEY (tenant, run_id), {_OF_RUN});
CREATE TABLE assay.tapes (
  {_TENANT}, {_RUN}, step integer NOT NULL, port text NOT NULL, key text NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (tenant, run_id, step), {_OF_RUN});
CREATE TABLE assay.figures (
  {_TENANT}, {_RUN}, body text NOT NULL, sufficiency double precision, PRIMARY KEY (tenant, run_id), {_OF_RUN});
CREATE TABLE assay.queued (
  {_TENANT}, {_RUN}, findings text NOT NULL, PRIMARY KEY (tenant, run_id), {_OF_RUN});
CREATE TABLE assay.decisions (
  {_TENANT}, {_RUN}, {_VERSION}, at double precision NOT NULL, by text NOT NULL, accepted boolean NOT NULL,
  note text NOT NULL, {_OF_RUN});
CREATE INDEX decisions_of ON assay.decisions (tenant, run_id, at);
CREATE TABLE assay.labels (
  {_TENANT}, {_RUN}, {_VERSION}, claim integer NOT NULL, good boolean NOT NULL, at double precision NOT NULL,
  by text NOT NULL, note text NOT NULL, {_OF_RUN});
CREATE INDEX labels_of ON assay.labels (tenant, run_id, claim, version);
CREATE TABLE assay.kept_answers (
  {_TENANT}, {_RUN}, collection text COLLATE "C" NOT NULL, key text NOT NULL, form text NOT NULL,
  meaning text NOT NULL, body text NOT NULL, PRIMARY KEY (tenant, run_id), {_OF_RUN});
CREATE INDEX kept_by_form ON assay.kept_answers (tenant, collection, key, md5(form));
CREATE INDEX kept_by_meaning ON assay.kept_answers (tenant, collection, key, md5(meaning));
CREATE TABLE assay.calibrations (
  {_TENANT}, {_VERSION}, collection text COLLATE "C" NOT NULL, at double precision NOT NULL, by text NOT NULL,
  body text NOT NULL);
CREATE INDEX calibrations_of ON assay.calibrations (tenant, collection, version);
CREATE TABLE assay.calibrated (
  {_TENANT}, choice bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, collection text COLLATE "C" NOT NULL,
  version bigint NOT NULL, at double precision NOT NULL, by text NOT NULL);
CREATE INDEX calibrated_of ON assay.calibrated (tenant, collection, choice);
"""
# Version 3 added what servers keep: uploaded files in parts, the jobs that take them in, and keys. `open_jobs` and
# `keys` have rows of the server itself, which no tenant sees; `of_tenant` is whom they are about. An upload has a
# hash once it is whole, a job once one waits for it, and a folder once it is the file of a document.
_SERVER = f"""
CREATE TABLE assay.jobs (
  {_TENANT}, job_id text COLLATE "C" NOT NULL, collection text COLLATE "C" NOT NULL,
  created double precision NOT NULL, status text NOT NULL,
  idempotency_key text COLLATE "C", digest text NOT NULL, reason text, hint text,
  finished double precision, owner text, heartbeat double precision, claimed double precision,
  attempts integer NOT NULL DEFAULT 0, PRIMARY KEY (tenant, job_id), UNIQUE (tenant, idempotency_key));
CREATE INDEX jobs_of ON assay.jobs (tenant, collection, status, created);
CREATE INDEX jobs_by_status ON assay.jobs (tenant, status, created);
CREATE INDEX jobs_by_end ON assay.jobs (tenant, finished);
CREATE TABLE assay.job_files (
  {_TENANT}, job_id text COLLATE "C" NOT NULL, number integer NOT NULL, name text NOT NULL, token text NOT NULL,
  size bigint NOT NULL, status text NOT NULL, reason text, hint text, document_id text,
  passages integer NOT NULL DEFAULT 0, ended double precision, PRIMARY KEY (tenant, job_id, number),
  FOREIGN KEY (tenant, job_id) REFERENCES assay.jobs ON DELETE CASCADE);
CREATE INDEX job_files_waiting ON assay.job_files (tenant) WHERE status = 'waiting';
CREATE TABLE assay.open_jobs (
  {_TENANT}, of_tenant text COLLATE "C" NOT NULL, job_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, of_tenant, job_id));
CREATE TABLE assay.uploads (
  {_TENANT}, token text COLLATE "C" NOT NULL,
  received double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()), size bigint NOT NULL DEFAULT 0,
  sha256 text, job_id text COLLATE "C", collection text COLLATE "C", folder text COLLATE "C", label text,
  PRIMARY KEY (tenant, token), UNIQUE (tenant, collection, folder));
CREATE TABLE assay.upload_parts (
  {_TENANT}, token text COLLATE "C" NOT NULL, part integer NOT NULL, bytes bytea NOT NULL,
  PRIMARY KEY (tenant, token, part), FOREIGN KEY (tenant, token) REFERENCES assay.uploads ON DELETE CASCADE);
ALTER TABLE assay.upload_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE assay.keys (
  {_TENANT}, key_id text COLLATE "C" NOT NULL, name text NOT NULL, of_tenant text COLLATE "C" NOT NULL,
  scope text NOT NULL CHECK (scope IN ('read', 'write', 'admin')), created double precision NOT NULL,
  expires double precision, revoked double precision, used double precision,
  salt bytea NOT NULL, hash bytea NOT NULL,
  n integer NOT NULL, r integer NOT NULL, p integer NOT NULL, PRIMARY KEY (tenant, key_id));
"""
# Keys are only revoked.
_PROTECTED_KEYS = (
    _PROTECTED.replace(", UPDATE, DELETE", "").format(table="keys")
    + "GRANT UPDATE (revoked, used) ON assay.keys TO assay_rows;\n"
)
# Records can be deleted and never be changed: nobody is granted the right to.
_PROTECTED_RECORD = _PROTECTED.replace(", UPDATE", "")
_SCRIPTS = (
    _FIRST + "".join(_PROTECTED.format(table=table) for table in _OF_COLLECTIONS),
    _RECORD + "".join(_PROTECTED_RECORD.format(table=table) for table in _OF_RECORD),
    _SERVER + "".join(_PROTECTED.format(table=table) for table in _OF_INTAKE) + _PROTECTED_KEYS,
)
VERSION = len(_SCRIPTS)

_VERSIONS = """
CREATE SCHEMA IF NOT EXISTS assay;
CREATE TABLE IF NOT EXISTS assay.schema_versions (
  version integer PRIMARY KEY, sha256 text NOT NULL, applied timestamptz NOT NULL DEFAULT now());
GRANT USAGE ON SCHEMA assay TO assay_rows;
GRANT SELECT ON assay.schema_versions TO assay_rows;
"""
# Creating it twice at the same moment is harmless.
_ROLE = """
DO $$ BEGIN
  CREATE ROLE assay_rows NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
# One number for all who prepare the same database.
_LOCK = 0x61737361


def prepare(connection: psycopg.Connection[Any], address: Address) -> None:
    """Bring the database to this version, or check that it is. Raises StoreError, psycopg.Error.

    `connection` is in autocommit mode. A login that may not create tables can use a database that is up to date.
    """
    _refuse_old_server(connection, address)
    if _missing(connection, address):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            _migrate(connection, address)
    _refuse_old_pgvector(connection, address)


def _missing(connection: psycopg.Connection[Any], address: Address) -> tuple[int, ...]:
    """The versions that the database lacks. Raises StoreError where one is not what this assay knows."""
    known = {number: _sha256(script) for number, script in enumerate(_SCRIPTS, 1)}
    if connection.execute("SELECT to_regclass('assay.schema_versions')").fetchone() == (None,):
        return tuple(known)
    there = dict(connection.execute("SELECT version, sha256 FROM assay.schema_versions").fetchall())
    changed = [number for number, sha256 in there.items() if known.get(number, sha256) != sha256]
    if changed:
        raise StoreError(
            f"version {changed[0]} of the tables in {address.shown} is not the one that this assay knows",
            hint="an unreleased assay made them: use that one, or another database",
        )
    return tuple(number for number in known if number not in there)


def _migrate(connection: psycopg.Connection[Any], address: Address) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(_ROLE)
        if not _is_member(connection):
            connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(ROLE)))
        connection.execute(_VERSIONS)
        for number in _missing(connection, address):  # another process may have migrated it
            script = _SCRIPTS[number - 1]
            connection.execute(script.encode())
            connection.execute("INSERT INTO assay.schema_versions VALUES (%s, %s)", (number, _sha256(script)))
    except (errors.UndefinedFile, errors.FeatureNotSupported) as error:
        raise StoreError(
            f"the Postgres server of {address.shown} does not have the extension pgvector",
            hint="install it on the server (packages are called postgresql-NN-pgvector; services list it as "
            '"vector"), and try again',
        ) from error
    except errors.InsufficientPrivilege as error:
        said = error.diag.message_primary or "permission denied"
        raise StoreError(
            f"the tables in {address.shown} are missing or of an older version, and its user may not make them: "
            f"{said}",
            hint="let the owner of the database run any assay command on it once, for example `assay ls`; the SQL "
            "that grants the rights is in docs/how-to/postgres.md",
        ) from error


def _is_member(connection: psycopg.Connection[Any]) -> bool:
    return connection.execute("SELECT pg_has_role(%s, 'MEMBER')", (ROLE,)).fetchone() == (True,)


def _refuse_old_server(connection: psycopg.Connection[Any], address: Address) -> None:
    number = connection.info.server_version // 10_000
    if number < _LEAST_POSTGRES:
        raise StoreError(
            f"{address.shown} is Postgres {number}, and assay needs {_LEAST_POSTGRES} or newer",
            hint="upgrade the server, or name another",
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreError(
            f"the database {address.shown} stores text as {encoding}, which has not every character",
            hint="make one with CREATE DATABASE assay ENCODING 'UTF8' TEMPLATE template0",
        )


def _refuse_old_pgvector(connection: psycopg.Connection[Any], address: Address) -> None:
    found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    version = str(found[0]) if found else "missing"
    if found is None or tuple(int(part) for part in version.split(".")[:2]) < _LEAST_PGVECTOR:
        raise StoreError(
            f"pgvector in {address.shown} is {version}, and assay needs {'.'.join(map(str, _LEAST_PGVECTOR))}",
            hint="install a newer one on the server, then run ALTER EXTENSION vector UPDATE in the database",
        )


def _sha256(script: str) -> str:
    return hashlib.sha256(script.encode()).hexdigest()
