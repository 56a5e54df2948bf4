-- The tables of layout 1; docs/adr/0016-postgresql.md explains them. The partition stands in front of
-- every key of what grows with the data, and every statement names it.
CREATE TABLE meta (one int PRIMARY KEY CHECK (one = 1), layout int NOT NULL);

-- Part 0 is the catalog itself: its epoch is that of the newest collection, its row the lock of all
-- who change structures, and its next_rid the last number of a collection. State: 0 serves, 2 is gone.
CREATE TABLE partition (
  part bigint PRIMARY KEY,
  coll int NOT NULL,
  epoch bigint NOT NULL,
  state int NOT NULL,
  time bigint NOT NULL,
  next_rid bigint NOT NULL,
  docs bigint NOT NULL,
  bytes bigint NOT NULL,
  keys bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
CREATE INDEX partition_coll ON partition (coll);

CREATE TABLE collection (
  id int PRIMARY KEY,
  ns text COLLATE "C" NOT NULL UNIQUE,
  epoch bigint NOT NULL,
  info bytea NOT NULL,
  building bytea NOT NULL
);
CREATE TABLE past (
  coll int NOT NULL,
  until bigint NOT NULL,
  info bytea NOT NULL,
  PRIMARY KEY (coll, until)
);
CREATE TABLE settings (
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  doc bytea NOT NULL,
  PRIMARY KEY (kind, id)
);

CREATE TABLE doc (
  part bigint NOT NULL,
  rid bigint NOT NULL,
  ver bigint NOT NULL,
  pkey bytea NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (part, rid)
);
ALTER TABLE doc ALTER COLUMN body SET STORAGE EXTERNAL;

-- Index -1 is the primary key.
CREATE TABLE uniq (
  part bigint NOT NULL,
  idx int NOT NULL,
  key bytea NOT NULL,
  rid bigint NOT NULL,
  PRIMARY KEY (part, idx, key)
);

-- What a key has beyond its first 1024 bytes is its tail, and a digest of that its hash; mostly both
-- are empty.
CREATE TABLE ent (
  part bigint NOT NULL,
  idx int NOT NULL,
  key bytea NOT NULL,
  rid bigint NOT NULL,
  hash bytea NOT NULL,
  tail bytea NOT NULL,
  PRIMARY KEY (part, idx, key, rid, hash)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE pkstat (
  part bigint NOT NULL,
  pkey bytea NOT NULL,
  bytes bigint NOT NULL,
  docs bigint NOT NULL,
  PRIMARY KEY (part, pkey)
) WITH (fillfactor = 80);
CREATE TABLE idxstat (
  part bigint NOT NULL,
  idx int NOT NULL,
  multikey bigint NOT NULL,
  numbers bigint NOT NULL,
  PRIMARY KEY (part, idx)
);

-- Kind: 0 inserted, 1 replaced, 2 deleted, 3 a structure, 4 an announcement.
CREATE TABLE feed (
  part bigint NOT NULL,
  time bigint NOT NULL,
  seq int NOT NULL,
  kind int NOT NULL,
  coll int NOT NULL,
  body bytea,
  delta bytea,
  before bytea,
  PRIMARY KEY (part, time, seq)
);
ALTER TABLE feed ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE feed ALTER COLUMN before SET STORAGE EXTERNAL;
CREATE TABLE trimmed (one int PRIMARY KEY CHECK (one = 1), time bigint NOT NULL);
INSERT INTO trimmed VALUES (1, 0);

-- Rows that nobody sees any more and that are to be deleted: of an index, or with -2 of a partition.
CREATE TABLE garbage (part bigint NOT NULL, idx int NOT NULL, PRIMARY KEY (part, idx));

-- The last call of each connection that commits, by which one that was cut off learns its outcome.
CREATE TABLE call (
  slot bigint PRIMARY KEY,
  call bigint NOT NULL,
  time bigint NOT NULL,
  fenced boolean NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- What open transactions keep others from changing. A commit asks whether its claims are still
-- there, so that losing them in a crash costs a transaction and never a document.
CREATE UNLOGGED TABLE claim (
  coll int NOT NULL,
  idx int NOT NULL,
  key bytea NOT NULL,
  owner bigint NOT NULL,
  present boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (coll, idx, key)
);
CREATE INDEX claim_owner ON claim (owner);

INSERT INTO meta VALUES (1, 1);
INSERT INTO partition VALUES (0, 0, 1, 0, 0, 0, 0, 0, 0);
