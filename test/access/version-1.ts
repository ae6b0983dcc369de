// A store as version 1 has left it: what an upgrade finds.

import { join } from 'node:path'
import Database from 'better-sqlite3'

/** The tables of version 1, written down here once more: the test would not notice if the first step were edited. */
const VERSION_1 = `
  CREATE TABLE plans (
    name TEXT PRIMARY KEY,
    hourlyLimit INTEGER NOT NULL,
    monthlyQuota INTEGER NOT NULL,
    liveEnabled INTEGER NOT NULL,
    historyEnabled INTEGER NOT NULL,
    liveReplayWindowSeconds INTEGER NOT NULL,
    liveConnectionsMax INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL REFERENCES plans,
    entitlement TEXT NOT NULL,            -- JSON: "*" or slugs
    createdAt INTEGER NOT NULL            -- epoch ms, as every time here
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,            -- SHA-256 of the secret, which is kept nowhere
    kind TEXT NOT NULL,
    organization TEXT NOT NULL REFERENCES organizations,
    scope TEXT NOT NULL,                  -- JSON
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER,
    revokedAt INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keysOfOrganization ON keys (organization);
  CREATE TABLE bookmakers (
    slug TEXT PRIMARY KEY,
    displayName TEXT NOT NULL,
    region TEXT NOT NULL,
    countries TEXT NOT NULL,              -- JSON
    sourceMode TEXT NOT NULL,
    customerNote TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE coverage (
    bookmaker TEXT NOT NULL REFERENCES bookmakers,
    sport TEXT NOT NULL,                  -- or *
    status TEXT NOT NULL,
    restAvailable INTEGER NOT NULL,
    liveAvailable INTEGER NOT NULL,
    lastVerifiedAt TEXT,                  -- YYYY-MM-DD
    PRIMARY KEY (bookmaker, sport)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE usage (
    organization TEXT NOT NULL,
    kind TEXT NOT NULL,                   -- hour or month
    start INTEGER NOT NULL,
    reserved INTEGER NOT NULL,            -- requests admitted, or reserved to be
    PRIMARY KEY (organization, kind, start)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE audit (                    -- only ever appended to
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    what TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL                  -- JSON
  ) STRICT;
  CREATE TABLE applied (                  -- the last audit row that a running server has taken over
    one INTEGER PRIMARY KEY CHECK (one = 1),
    auditId INTEGER NOT NULL
  ) STRICT;
  INSERT INTO applied VALUES (1, 0);
`

/** Makes a store of version 1 with an organization, a key and two rows of coverage. */
export const makeVersion1 = (dataDir: string): void => {
  const database = new Database(join(dataDir, 'oddswire.db'))
  database.exec(VERSION_1)
  database.exec(`
    INSERT INTO plans VALUES ('pro', 10, 20, 1, 0, 120, 0);
    INSERT INTO organizations VALUES ('org_1', 'acme', 'pro', '"*"', 1);
    INSERT INTO keys VALUES ('key_1', 'abc', 'customer', 'org_1',
      '{"channels":null,"bookmakers":null,"sports":null}', 1, NULL, NULL);
    INSERT INTO bookmakers VALUES ('a', 'A', 'Europe', '["MT"]', 'direct', '');
    INSERT INTO coverage VALUES ('a', 'football', 'verified_rest_live', 1, 1, '2026-11-19');
    INSERT INTO coverage VALUES ('a', '*', 'verified_rest_only', 1, 0, NULL);
    INSERT INTO audit VALUES (1, 1, 'plan set', 'pro', '{}'), (2, 1, 'coverage import', '*', '{}');
    UPDATE applied SET auditId = 2;
  `)
  database.pragma('user_version = 1')
  database.close()
}
