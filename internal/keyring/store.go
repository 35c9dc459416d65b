package keyring

import (
	"context"
	"time"

	"stoa/internal/audit"
)

// Purpose is what the keys of a Ring are for, and how they take turns.
type Purpose struct {
	// Name is the keys' purpose in the database: "account", "license".
	Name string

	// Lead is how long a key is published before it may sign: as long as verifiers
	// go on using an older set of public keys.
	Lead time.Duration

	// Retention is how long a key is published after it stopped signing: as long
	// as the longest-lived thing it signed is of use.
	Retention time.Duration
}

// Box is the name of the box that seals the keys of a purpose (seal.Key.Box).
func (p Purpose) Box() string { return p.Name + ".signing-key" }

// Stage is where a key is in its life. The current one signs, any verifies.
type Stage string

// The stages: a key is published before it signs, and verifies until the last
// thing it signed is of no use any more.
const (
	StageNext     Stage = "next"
	StageCurrent  Stage = "current"
	StagePrevious Stage = "previous"
)

// StoredKey is a key as it lies in the database.
type StoredKey struct {
	ID        string // kid
	Purpose   string // Purpose.Name
	Stage     Stage
	Sealed    string // the seed, sealed with the master key for the row ID
	CreatedAt time.Time
	// StageSince is when the key came to its stage.
	StageSince time.Time
}

// Store is what a Ring needs from the database. Package store implements it and
// package storetest holds its conformance tests: a new sentence here needs a new
// test there.
type Store interface {
	// AddKeyOnce inserts a key unless there is one of its purpose and stage
	// already. There is at most one next and one current key of a purpose, however
	// many replicas call at once.
	AddKeyOnce(ctx context.Context, k StoredKey) error

	// ListKeys returns the keys of all stages of one purpose, oldest first.
	ListKeys(ctx context.Context, purpose string) ([]StoredKey, error)

	// MoveKey brings a key from one stage to another, at the given time. It returns
	// an errs.NotFound error when the key is not in the stage from: of several who
	// move the same key, one succeeds. Inside InTx the key stays locked until the
	// transaction ends, also if both stages are the same. It returns an
	// errs.Conflict error for a second next or current key of a purpose.
	MoveKey(ctx context.Context, id string, from, to Stage, at time.Time) error

	// DeletePreviousKey deletes a key of stage previous. For any other, and for
	// none, it does nothing.
	DeletePreviousKey(ctx context.Context, id string) error

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx
	// it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and
	// are all undone otherwise. fn may run again if the database asks for it.
	InTx(ctx context.Context, fn func(Store) error) error
}
