"""The tables of the run record, version by version, and the SQLite file that holds them."""

from __future__ import annotations

from pathlib import Path

from assay.records.sqlite_file import SqliteFile

# A version is never changed, only followed by another.
_RUNS = """
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY, collection TEXT NOT NULL, question TEXT NOT NULL, started REAL NOT NULL,
  outcome TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE events (
  run_id TEXT NOT NULL REFERENCES runs, seq INTEGER NOT NULL, at REAL NOT NULL, kind TEXT NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;
CREATE TRIGGER runs_stay BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'runs are append-only'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
"""
# Version 2 added what a replay needs: the settings and the dialogue, and every call out of the run in order.
_RECORDINGS = """
CREATE TABLE recordings (run_id TEXT PRIMARY KEY REFERENCES runs, about TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tapes (
  run_id TEXT NOT NULL REFERENCES runs, step INTEGER NOT NULL, port TEXT NOT NULL, key TEXT NOT NULL,
  body BLOB NOT NULL, PRIMARY KEY (run_id, step)
);
"""
# Version 3 added each run's figures, the queue for a human's eye, and what was decided there.
_REVIEWS = """
CREATE TABLE figures (run_id TEXT PRIMARY KEY REFERENCES runs, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE queued (run_id TEXT PRIMARY KEY REFERENCES runs, findings TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE decisions (
  run_id TEXT NOT NULL REFERENCES runs, at REAL NOT NULL, by TEXT NOT NULL, accepted INTEGER NOT NULL,
  note TEXT NOT NULL
);
CREATE INDEX decisions_of ON decisions (run_id, at);
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
  BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
"""
# Version 4 added labels of answers and claims, calibrations fitted on them, and which one a collection uses.
_LABELS = """
CREATE TABLE labels (
  version INTEGER PRIMARY KEY, run_id TEXT NOT NULL REFERENCES runs, claim INTEGER NOT NULL, good INTEGER NOT NULL,
  at REAL NOT NULL, by TEXT NOT NULL, note TEXT NOT NULL
);
CREATE INDEX labels_of ON labels (run_id, claim, version);
CREATE TABLE calibrations (
  version INTEGER PRIMARY KEY, collection TEXT NOT NULL, at REAL NOT NULL, by TEXT NOT NULL, body TEXT NOT NULL
);
CREATE TABLE calibrated (collection TEXT NOT NULL, version INTEGER NOT NULL, at REAL NOT NULL, by TEXT NOT NULL);
CREATE TRIGGER labels_stay BEFORE UPDATE ON labels BEGIN SELECT RAISE(ABORT, 'labels are append-only'); END;
CREATE TRIGGER calibrations_stay BEFORE UPDATE ON calibrations
  BEGIN SELECT RAISE(ABORT, 'calibrations are append-only'); END;
CREATE TRIGGER calibrated_stays BEFORE UPDATE ON calibrated
  BEGIN SELECT RAISE(ABORT, 'choices are append-only'); END;
"""
# Version 5 added the order in which runs are listed.
_LISTED = "CREATE INDEX runs_by_start ON runs (started, run_id);\n"
# Version 6 added the answers that may be given again; they go with their runs.
_KEPT = """
CREATE TABLE kept_answers (
  run_id TEXT PRIMARY KEY REFERENCES runs, collection TEXT NOT NULL, key TEXT NOT NULL, form TEXT NOT NULL,
  meaning TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX kept_by_form ON kept_answers (collection, key, form);
CREATE INDEX kept_by_meaning ON kept_answers (collection, key, meaning);
CREATE TRIGGER kept_answers_stay BEFORE UPDATE ON kept_answers
  BEGIN SELECT RAISE(ABORT, 'kept answers are append-only'); END;
"""
SCRIPTS = (_RUNS, _RECORDINGS, _REVIEWS, _LABELS, _LISTED, _KEPT)
SCHEMA_VERSION = len(SCRIPTS)
# From which version on there are tapes, figures and reviews, labels, and kept answers.
RECORDED, REVIEWED, LABELLED, KEPT = 2, 3, 4, 6


def runs_file(path: Path) -> SqliteFile:
    """The file of a run record: written at the end of each run, so its connection is kept until it is closed."""
    return SqliteFile(path, SCRIPTS, f"the record of runs in {path.name}", durable=False, stays_open=True)
