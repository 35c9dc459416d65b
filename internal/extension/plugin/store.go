package plugin

import (
	"context"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/message/delivery"
	"stoa/internal/trust/audit"
)

// StoredInstance is an instance as the database keeps it: Config is nil, and Sealed
// holds it encrypted. Sealed is empty if the instance has no config.
type StoredInstance struct {
	Instance

	Sealed string
}

// Store is where packages and their instances live. Package store implements it
// for SQLite and PostgreSQL; its tests hold every sentence here to it.
type Store interface {
	Packages
	Instances
	Secrets
	Failures
	Healths
	Outbox

	// Record appends an entry to the audit log, as audit.Store does. Inside InTx
	// it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// Publish sends events to their subscribers. Inside InTx it is part of the transaction.
	Publish(ctx context.Context, list ...event.Event) error

	// LockEventUse returns until when the allowance of events of an installation is used,
	// the zero time for one that never published. Inside InTx, other transactions that ask
	// for it wait. The error is an errs.NotFound for an unknown installation.
	LockEventUse(ctx context.Context, installationID string) (time.Time, error)

	// SaveEventUse changes what LockEventUse returns. It must be called after that.
	SaveEventUse(ctx context.Context, installationID string, until time.Time) error

	// InTx runs fn on a Store whose changes are kept if fn returns nil and undone
	// otherwise. fn may run more than once. GetPackage locks the package it returns
	// to fn until the end: other transactions that ask for it wait.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Packages is the part of Store about packages. An uninstalled package has a
// DeletedAt and stays in the database.
type Packages interface {
	// GetPackage returns the package with that slug, uninstalled or not, or an
	// errs.NotFound error.
	GetPackage(ctx context.Context, slug string) (Package, error)

	// FindArchive returns the package that was installed from the archive with
	// that hash, uninstalled or not, or an errs.NotFound error.
	FindArchive(ctx context.Context, zipHash string) (Package, error)

	// ListPackages returns one page of the installed packages that match q, in the order
	// that q asks for and without the uninstalled; and how many there are on all pages.
	ListPackages(ctx context.Context, q PackageQuery) ([]Package, int, error)

	// CreatePackage adds a package. The error is an errs.Conflict if its slug is
	// taken, be it by an uninstalled package.
	CreatePackage(ctx context.Context, p Package) error

	// DeletePackage marks a package as uninstalled and disables all its
	// instances. The error is an errs.NotFound if there is no such package or it
	// is uninstalled already.
	DeletePackage(ctx context.Context, slug string, at time.Time) error

	// PreviousVersion returns the version of a package that a rollback returns to, or
	// an errs.NotFound error.
	PreviousVersion(ctx context.Context, slug string) (Version, error)

	// ReplaceVersion gives an installed package the version, UpgradeID and UpdatedAt
	// of p. With previous, that one is the version to return to from now on. The error
	// is an errs.NotFound if the package is unknown or uninstalled.
	ReplaceVersion(ctx context.Context, p Package, previous *Version) error

	// RestorePackage undoes DeletePackage; instances stay disabled. The error is an
	// errs.NotFound if there is no uninstalled package with that slug.
	RestorePackage(ctx context.Context, slug string, at time.Time) error

	// PurgePackage removes a package, uninstalled or not, with everything that
	// belongs to it. The error is an errs.NotFound if there is none.
	PurgePackage(ctx context.Context, slug string) error

	// UpdateSettings replaces the settings of an installed package. The error is an
	// errs.NotFound if there is none.
	UpdateSettings(ctx context.Context, slug string, s Settings) error

	// KeptRunning returns the enabled instances of installed packages whose setting
	// KeepRunning is on, by id.
	KeptRunning(ctx context.Context) ([]Found, error)

	// Publishers returns the installed packages that have theme extensions, by slug.
	// Packages that stoa installed before it knew of them are among them, with or
	// without.
	Publishers(ctx context.Context) ([]Publisher, error)

	// InstallPaths returns the InstallPath of every package and of every version to
	// return to, those of uninstalled packages too, because their files stay
	// (contract 4.7).
	InstallPaths(ctx context.Context) ([]string, error)
}

// Outbox is the part of Store about hooks.
type Outbox interface {
	// AddDeliveries adds hooks. Inside InTx they are part of the transaction.
	AddDeliveries(ctx context.Context, list []delivery.Delivery) error

	// KeepRemains keeps what the waiting hooks of a package need, before it is purged. It
	// reports false, and keeps nothing, if no hook waits.
	KeepRemains(ctx context.Context, packageID string) (bool, error)

	// Remains returns the package with that id and its instance with that one, both even if
	// they were deleted, or what KeepRemains has kept. An instance that was purged, is
	// deleted, or belongs to an uninstalled package is not enabled. The error is an
	// errs.NotFound if nothing is left.
	Remains(ctx context.Context, packageID, installationID string) (Remains, error)

	// DropRemains forgets what KeepRemains has kept for packages of which no hook waits,
	// and returns the paths of their files.
	DropRemains(ctx context.Context) ([]string, error)

	// Troubles returns the first hook of each of the instances that is dead, or that
	// failed and waits to be tried again, by the id of the instance.
	Troubles(ctx context.Context, installationIDs []string) (map[string]Trouble, error)

	// Subscribers returns the enabled instances of installed packages that subscribe to
	// events.
	Subscribers(ctx context.Context) ([]Found, error)
}

// Remains is what is left of an instance and its package.
type Remains struct {
	Package  Package
	Instance StoredInstance
	Secret   Secret // sealed
}

// Found is an instance that the database has, with its package.
type Found struct {
	Package  Package
	Instance StoredInstance
}

// Publisher is a package that may have theme extensions.
type Publisher struct {
	Package   Package
	Instances int // how many are enabled
}

// InstanceName is the id and the key of an instance.
type InstanceName struct{ ID, Key string }

// Failures is the part of Store about what went wrong with instances.
type Failures interface {
	// PutFailure notes the last failure of an instance, which happened to that
	// revision of it, in place of an earlier one.
	PutFailure(ctx context.Context, installationID string, r Revision, f Failure) error

	// Failures returns the last failures of those instances, by id. A failure of an
	// earlier version of the instance or of another archive of its package is none.
	Failures(ctx context.Context, installationIDs []string) (map[string]Failure, error)
}

// Healths is the part of Store about the health of external plugins.
type Healths interface {
	// ClaimProbes returns at most limit of the packages whose health is due at now, each
	// with one of its enabled instances: "default", or else the oldest. Due are installed
	// external packages with an enabled instance that were never claimed, or that are due
	// again. They are due again at next. Of several processes that ask at the same time,
	// one gets a package.
	ClaimProbes(ctx context.Context, now, next time.Time, limit int) ([]Found, error)

	// PutHealth notes what a package of the archive h.ZipHash said. Health.Since stays the
	// time of the first of the same answers in a row, and Health.LastError the last one, as
	// long as the archive is the same. Nothing is noted for a package that was never
	// claimed, or that was purged.
	PutHealth(ctx context.Context, slug string, h Health) error

	// Healths returns what the installed packages with these slugs said last, by slug.
	// What was said by another archive is left out. No slugs means all.
	Healths(ctx context.Context, slugs ...string) (map[string]Health, error)
}

// Instances is the part of Store about instances. A deleted instance keeps its
// id and its key.
type Instances interface {
	// FindByID and FindByKey return a package together with the instance of it
	// that has that id or key. For a deleted instance, an instance of another
	// package and an uninstalled package the error is an errs.NotFound.
	FindByID(ctx context.Context, slug, id string) (Package, StoredInstance, error)
	FindByKey(ctx context.Context, slug, key string) (Package, StoredInstance, error)

	// FindUninstalled is FindByKey for an uninstalled package.
	FindUninstalled(ctx context.Context, slug, key string) (Package, StoredInstance, error)

	// FindInstallation is FindByID for whichever package the instance belongs to.
	FindInstallation(ctx context.Context, id string) (Package, StoredInstance, error)

	// FindUnpurged is FindInstallation for an instance that may be deleted, or belong to an
	// uninstalled package. The error is an errs.NotFound once the package was purged.
	FindUnpurged(ctx context.Context, id string) (Package, StoredInstance, error)

	// CountEnabling counts an enabling of each enabled instance of a package, without changing it otherwise.
	CountEnabling(ctx context.Context, slug string) error

	// KeyState returns whether the package has, or had, an instance with that key.
	KeyState(ctx context.Context, slug, key string) (KeyState, error)

	// ListInstances returns one page of the instances of a package that match q, in the
	// order of q and without the deleted; and how many there are on all pages.
	ListInstances(ctx context.Context, slug string, q InstanceQuery) ([]StoredInstance, int, error)

	// EnabledInstances returns at most limit of the enabled instances of a package, after
	// the first offset, the oldest first and those of the same moment by key.
	EnabledInstances(ctx context.Context, slug string, limit, offset int) ([]InstanceName, error)

	// LiveInstances returns the present state of those of the instances that are
	// enabled, by id. Left out are disabled, deleted and unknown ones, and those of
	// packages that are uninstalled or whose license has lapsed at a time.
	LiveInstances(ctx context.Context, ids []string, at time.Time) (map[string]Revision, error)

	// KnownInstances returns those of the instances that are there, enabled or not. Left out
	// are deleted and unknown ones, and those of uninstalled packages.
	KnownInstances(ctx context.Context, ids []string) (map[string]bool, error)

	// CreateInstance adds an instance. The error is an errs.Conflict if the
	// package has or had one with that key.
	CreateInstance(ctx context.Context, in StoredInstance) error

	// UpdateInstance replaces everything that may change: Enabled, Sealed,
	// Granted, Undecided, Version, UpdatedAt and DeletedAt. The error is an errs.NotFound if
	// the instance is unknown or deleted, and an errs.Conflict if its version is
	// not the one before in.Version.
	UpdateInstance(ctx context.Context, in StoredInstance) error
}

// KeyState says whether an instance key is in use.
type KeyState int

// The states of a key.
const (
	KeyFree KeyState = iota
	KeyTaken
	KeyDeleted
)

// Secrets is the part of Store about signing secrets, which are sealed.
type Secrets interface {
	// GetSecret returns the secret of an installed package, or an errs.NotFound
	// error.
	GetSecret(ctx context.Context, slug string) (Secret, error)

	// PutSecret sets a package's secret, for the first time or again.
	PutSecret(ctx context.Context, slug string, s Secret) error
}
