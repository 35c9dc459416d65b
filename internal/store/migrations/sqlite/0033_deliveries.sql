-- +goose Up
-- What happened, written in the transaction of what it tells. spread says that the
-- deliveries to those who subscribed have been made.
CREATE TABLE events (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    type           TEXT NOT NULL,
    occurred_at_ms INTEGER NOT NULL,
    data_json      TEXT NOT NULL,
    spread         INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX events_fresh ON events (seq) WHERE NOT spread;
CREATE INDEX events_age ON events (occurred_at_ms);

-- The queues of deliveries, one for each receiver. due_ms is when something is due in it,
-- or when its lease ends, and NULL if it is empty. lease is whose turn it is.
CREATE TABLE delivery_queues (
    name   TEXT PRIMARY KEY,
    lane   TEXT NOT NULL,
    lease  TEXT NOT NULL DEFAULT '',
    due_ms INTEGER
) STRICT;
CREATE INDEX delivery_queues_due ON delivery_queues (lane, due_ms) WHERE due_ms IS NOT NULL;

-- What receivers are to be told, in the order of seq. Whoever adds to a queue locks its
-- row first.
CREATE TABLE deliveries (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    queue          TEXT NOT NULL,
    lane           TEXT NOT NULL,
    kind           TEXT NOT NULL, -- hook, event or webhook
    target         TEXT NOT NULL,
    owner          TEXT NOT NULL,
    name           TEXT NOT NULL,
    event_id       TEXT NOT NULL,
    payload        TEXT NOT NULL,
    keeps          TEXT NOT NULL,
    state          TEXT NOT NULL, -- waiting, delivered, dead or cancelled
    attempts       INTEGER NOT NULL,
    tries          INTEGER NOT NULL,
    due_ms         INTEGER,
    created_at_ms  INTEGER NOT NULL,
    finished_at_ms INTEGER
) STRICT;
CREATE INDEX deliveries_waiting ON deliveries (queue, seq) WHERE state = 'waiting';
CREATE INDEX deliveries_due ON deliveries (queue, due_ms) WHERE state = 'waiting';
CREATE INDEX deliveries_target ON deliveries (target, seq);
CREATE INDEX deliveries_owner ON deliveries (owner, seq);
CREATE INDEX deliveries_event ON deliveries (event_id, target) WHERE event_id <> '';
CREATE INDEX deliveries_keeps ON deliveries (keeps) WHERE state = 'waiting' AND keeps <> '';
CREATE INDEX deliveries_trouble ON deliveries (target, seq) WHERE kind = 'hook' AND state <> 'delivered';
CREATE INDEX deliveries_age ON deliveries (finished_at_ms) WHERE finished_at_ms IS NOT NULL;

CREATE TABLE delivery_attempts (
    delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    at_ms       INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    error       TEXT NOT NULL,
    response    TEXT NOT NULL,
    PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;
