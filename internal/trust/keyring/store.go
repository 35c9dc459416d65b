package keyring

import (
	"context"
	"time"

	"stoa/internal/trust/audit"
)

// Purpose is what the keys of a Ring are used for, and how they rotate.
type Purpose struct {
	// Name is the purpose in the database: "account", "license".
	Name string

	// Lead is how long a key is published before it may sign: as long as verifiers may
	// cache an older set of public keys.
	Lead time.Duration

	// Retention is how long a key remains published after it has stopped signing: as
	// long as anything that it signed may be valid.
	Retention time.Duration
}

// Box is the name of the box that seals the keys of a purpose (seal.Key.Box).
func (p Purpose) Box() string { return p.Name + ".signing-key" }

// Stage is a stage in the life of a key. Only the current key signs; all keys verify.
type Stage string

// The stages, in their order.
const (
	StageNext     Stage = "next"
	StageCurrent  Stage = "current"
	StagePrevious Stage = "previous"
)

// StoredKey is a key as the database stores it.
type StoredKey struct {
	ID        string // kid
	Purpose   string // Purpose.Name
	Stage     Stage
	Sealed    string // the seed, sealed with the master key for the row ID
	CreatedAt time.Time
	// StageSince is when the key entered its stage.
	StageSince time.Time
}

// Store keeps the keys in the database. Package store implements it, and package
// The tests of package store cover every sentence here.
type Store interface {
	// AddKeyOnce inserts a key unless its purpose has one in that stage already. A
	// purpose has at most one next and one current key, even if several replicas call
	// AddKeyOnce at the same time.
	AddKeyOnce(ctx context.Context, k StoredKey) error

	// ListKeys returns the keys of all stages of one purpose, oldest first.
	ListKeys(ctx context.Context, purpose string) ([]StoredKey, error)

	// MoveKey moves a key from one stage to another, at the given time. It returns an
	// errs.NotFound error if the key is not in the stage from: of several concurrent
	// calls for a key, one succeeds. Inside InTx the key stays locked until the
	// transaction ends, even if from and to are the same. It returns an errs.Conflict
	// error for a second next or current key of a purpose.
	MoveKey(ctx context.Context, id string, from, to Stage, at time.Time) error

	// DeletePreviousKey deletes a key if its stage is previous, and otherwise does
	// nothing.
	DeletePreviousKey(ctx context.Context, id string) error

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx
	// it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose calls commit together if fn returns nil and are
	// undone otherwise. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}
