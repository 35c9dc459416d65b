-- +goose Up
-- What happened, written in the transaction of what it tells. spread says that the
-- deliveries to those who subscribed have been made.
CREATE TABLE events (
    seq            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id             TEXT COLLATE "C" NOT NULL UNIQUE,
    type           TEXT COLLATE "C" NOT NULL,
    occurred_at_ms BIGINT NOT NULL,
    data_json      TEXT NOT NULL,
    spread         BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX events_fresh ON events (seq) WHERE NOT spread;
CREATE INDEX events_age ON events (occurred_at_ms);

-- The queues of deliveries, one for each receiver. due_ms is when something is due in it,
-- or when its lease ends, and NULL if it is empty. lease is whose turn it is.
CREATE TABLE delivery_queues (
    name   TEXT COLLATE "C" PRIMARY KEY,
    lane   TEXT COLLATE "C" NOT NULL,
    lease  TEXT COLLATE "C" NOT NULL DEFAULT '',
    due_ms BIGINT
);
CREATE INDEX delivery_queues_due ON delivery_queues (lane, due_ms) WHERE due_ms IS NOT NULL;

-- What receivers are to be told, in the order of seq. Whoever adds to a queue locks its
-- row first.
CREATE TABLE deliveries (
    seq            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id             TEXT COLLATE "C" NOT NULL UNIQUE,
    queue          TEXT COLLATE "C" NOT NULL,
    lane           TEXT COLLATE "C" NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL, -- hook, event or webhook
    target         TEXT COLLATE "C" NOT NULL,
    owner          TEXT COLLATE "C" NOT NULL,
    name           TEXT COLLATE "C" NOT NULL,
    event_id       TEXT COLLATE "C" NOT NULL,
    payload        TEXT NOT NULL,
    keeps          TEXT COLLATE "C" NOT NULL,
    state          TEXT COLLATE "C" NOT NULL, -- waiting, delivered, dead or cancelled
    attempts       BIGINT NOT NULL,
    tries          BIGINT NOT NULL,
    due_ms         BIGINT,
    created_at_ms  BIGINT NOT NULL,
    finished_at_ms BIGINT
);
CREATE INDEX deliveries_waiting ON deliveries (queue, seq) WHERE state = 'waiting';
CREATE INDEX deliveries_due ON deliveries (queue, due_ms) WHERE state = 'waiting';
CREATE INDEX deliveries_target ON deliveries (target, seq);
CREATE INDEX deliveries_owner ON deliveries (owner, seq);
CREATE INDEX deliveries_event ON deliveries (event_id, target) WHERE event_id <> '';
CREATE INDEX deliveries_keeps ON deliveries (keeps) WHERE state = 'waiting' AND keeps <> '';
CREATE INDEX deliveries_trouble ON deliveries (target, seq) WHERE kind = 'hook' AND state <> 'delivered';
CREATE INDEX deliveries_age ON deliveries (finished_at_ms) WHERE finished_at_ms IS NOT NULL;

CREATE TABLE delivery_attempts (
    delivery_id TEXT COLLATE "C" NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    number      BIGINT NOT NULL,
    at_ms       BIGINT NOT NULL,
    duration_us BIGINT NOT NULL,
    status      BIGINT NOT NULL,
    error       TEXT NOT NULL,
    response    TEXT NOT NULL,
    PRIMARY KEY (delivery_id, number)
);
