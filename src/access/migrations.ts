// The store's tables, as a sequence of migrations.

/** Step n brings a store of version n to version n + 1. Steps are never edited, only added. */
export const MIGRATIONS: readonly string[] = [
  `
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
  `,
  // Version 2: history and removals of coverage; verification; decisions about events.
  `
  CREATE TABLE imported (                 -- what the last import said: whoever says it again says nothing new
    bookmaker TEXT NOT NULL REFERENCES bookmakers,
    sport TEXT NOT NULL,
    coverage TEXT NOT NULL,               -- JSON
    PRIMARY KEY (bookmaker, sport)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO imported SELECT bookmaker, sport, json_object(
    'sport', sport, 'status', status, 'restAvailable', json(iif(restAvailable, 'true', 'false')),
    'liveAvailable', json(iif(liveAvailable, 'true', 'false')), 'lastVerifiedAt', lastVerifiedAt
  ) FROM coverage;
  CREATE TABLE coverageHistory (          -- only ever appended to
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    bookmaker TEXT NOT NULL,
    sport TEXT NOT NULL,                  -- or *
    before TEXT,                          -- JSON; null: there was none
    after TEXT,                           -- JSON; null: there is none
    reason TEXT NOT NULL,
    by TEXT NOT NULL                      -- import, set, remove or verification
  ) STRICT;
  CREATE INDEX coverageHistoryOfBookmaker ON coverageHistory (bookmaker, sport);
  CREATE TABLE coverageRemovals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    announcedAt INTEGER NOT NULL,
    effectiveAt INTEGER NOT NULL,
    bookmaker TEXT NOT NULL,
    sport TEXT NOT NULL,                  -- what is to go; *: all of the bookmaker's
    losses TEXT NOT NULL,                 -- JSON: what customers lose by it
    notice TEXT NOT NULL,                 -- window, or immediate
    status TEXT NOT NULL,                 -- announced, done or withdrawn
    reason TEXT NOT NULL
  ) STRICT;
  CREATE TABLE verifications (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    bookmaker TEXT NOT NULL,
    sport TEXT NOT NULL,
    outcome TEXT NOT NULL,                -- of all channels together
    channels TEXT NOT NULL,               -- JSON
    request INTEGER                       -- null: on schedule
  ) STRICT;
  CREATE INDEX verificationsOfCoverage ON verifications (bookmaker, sport);
  CREATE INDEX verificationsOfRequest ON verifications (request);
  CREATE TABLE verificationRequests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    bookmaker TEXT,                       -- null: all
    sport TEXT,                           -- null: all
    status TEXT NOT NULL,                 -- pending, done or lapsed
    detail TEXT NOT NULL                  -- why nothing, or not all, was verified
  ) STRICT;
  CREATE TABLE eventDecisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    decisions TEXT NOT NULL               -- JSON: one for each pair of keys
  ) STRICT;
  `,
  // Version 3: what a store records about itself. See store-file.ts.
  `
  CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    generation TEXT NOT NULL,             -- another one whenever something that was stored may be missing
    usedBy TEXT,                          -- the run of a server that has it open; null: closed cleanly
    doubt TEXT,                           -- why it is not served until somebody accepts it
    backupAt INTEGER,                     -- of a backup that is not accepted yet: when it was made
    tries INTEGER NOT NULL                -- counted up to see whether anything can be written
  ) STRICT;
  INSERT INTO state VALUES (1, lower(hex(randomblob(8))), NULL, NULL, NULL, 0);
  `,
  // Version 4: the built-in plans bound live connections. A plan with a bound that an operator has set keeps it.
  `
  UPDATE plans SET liveConnectionsMax = 100 WHERE name IN ('starter', 'pro') AND liveConnectionsMax = 0;
  UPDATE plans SET liveConnectionsMax = 20000 WHERE name = 'desk' AND liveConnectionsMax = 0;
  `,
  // Version 5: a merge of events with swapped sides says so in the word of the code.
  `
  UPDATE eventDecisions SET decisions = replace(decisions, '"turned":', '"swapped":');
  `,
  // Version 6: users, their links and sessions; names and use of keys; who did what; requests by hour.
  `
  CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,           -- normalised
    role TEXT NOT NULL,                   -- operator, owner or member
    organization TEXT NOT NULL REFERENCES organizations,
    password TEXT,                        -- see portal/passwords.ts; null: none is set yet
    createdAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usersOfOrganization ON users (organization);
  CREATE TABLE links (                    -- one-time links: one for each user at most, deleted by its use
    hash TEXT PRIMARY KEY,                -- SHA-256 of the token, which is kept nowhere
    user TEXT NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
    needsPassword INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sessions (                 -- of the portal
    hash TEXT PRIMARY KEY,                -- SHA-256 of the token, which is kept nowhere
    user TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    createdAt INTEGER NOT NULL,
    usedAt INTEGER NOT NULL,              -- coarse
    expiresAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessionsOfUser ON sessions (user, createdAt);
  ALTER TABLE keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
  ALTER TABLE keys ADD COLUMN createdBy TEXT NOT NULL DEFAULT 'command';
  ALTER TABLE keys ADD COLUMN lastUsedAt INTEGER; -- coarse; null: never
  ALTER TABLE audit ADD COLUMN by TEXT NOT NULL DEFAULT 'command'; -- the email of a user, command, or server
  ALTER TABLE audit ADD COLUMN organization TEXT; -- whose users may read the row; null: the operator's only
  UPDATE audit SET organization = subject WHERE what LIKE 'organization %';
  UPDATE audit SET organization = (SELECT organization FROM keys WHERE id = subject) WHERE what LIKE 'key %';
  CREATE INDEX auditOfOrganization ON audit (organization, id);
  CREATE TABLE rotations (                -- keys with a successor
    key TEXT PRIMARY KEY REFERENCES keys ON DELETE CASCADE,
    successor TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE traffic (
    organization TEXT NOT NULL,
    hour INTEGER NOT NULL,                -- its start
    code TEXT NOT NULL,                   -- why requests were refused; empty: all requests with a valid key
    count INTEGER NOT NULL,
    PRIMARY KEY (organization, hour, code)
  ) STRICT, WITHOUT ROWID;
  `,
  // Version 7: plans that are not published. Until now all were.
  `
  ALTER TABLE plans ADD COLUMN isPublic INTEGER NOT NULL DEFAULT 1;
  `,
  // Version 8: a store that several processes share. See shared-records.ts.
  `
  CREATE TABLE IF NOT EXISTS shared (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    isShared INTEGER NOT NULL,            -- whether the last server has shared it
    version INTEGER NOT NULL,             -- changes that came from a log
    head TEXT NOT NULL                    -- the last one; before it, a name of this store; empty: none
  ) STRICT;
  INSERT OR IGNORE INTO shared VALUES (1, 0, 0, '');
  CREATE TABLE IF NOT EXISTS sharedChanges (
    version INTEGER PRIMARY KEY,
    proposal TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS proposals (  -- of commands, for the running server
    id TEXT PRIMARY KEY,
    draft TEXT NOT NULL,                  -- JSON
    outcome TEXT,                         -- null: none yet
    detail TEXT
  ) STRICT;
  `,
]
