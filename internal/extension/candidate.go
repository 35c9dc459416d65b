package extension

import (
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/base/errs"
)

// Candidate is an extension that may be installed: its manifest has no fault.
type Candidate interface {
	// Slug and Version come from the manifest. Both are fit to be part of a folder's
	// name.
	Slug() string
	Version() string

	// Needs returns what the manifest asks for.
	Needs() Needs

	// CheckFree returns nil if the extension can be installed beside what is
	// installed now, or over a lower version of it, and an errs.Conflict error
	// otherwise. replace allows to replace the same version.
	CheckFree(ctx context.Context, replace bool) error

	// CheckSetup adds to faults every fault of a setup. Their paths are relative to it.
	CheckSetup(ctx context.Context, setup Setup, faults *errs.Issues) error

	// PublicConfig returns a config with every secret value replaced by "".
	PublicConfig(config json.RawMessage) json.RawMessage

	// Prepare makes the extension ready to be recorded. Its files are in place. The error is
	// an errs.Conflict if something else is installed by now, an errs.Unprocessable if the
	// extension does not work and may not be installed without working, and an errs.Invalid
	// for a setup with faults.
	Prepare(ctx context.Context, files Files, setup Setup) (Prepared, error)

	// Adopt is Prepare for an extension that was installed from the same archive before:
	// only the setup is applied. If it was uninstalled since, it is restored. zipHash is the
	// SHA-256 of the archive.
	Adopt(ctx context.Context, zipHash string, setup Setup) (Prepared, error)
}

// Needs is what an extension asks of the stoa that it is installed on.
type Needs struct {
	Permissions []string
	MinPlatform string // the lowest version of stoa on which it works; empty: any
}

// Setup says what to do with an extension once it is installed, as an item of a bundle
// asks for it. The zero value asks for nothing.
type Setup struct {
	Instances []Instance
	Activate  bool // show the theme

	// Consent, unless nil, has what an administrator consented to: instances that are added get nothing else of what
	// they ask for.
	Consent []string
}

// IsZero reports whether the setup asks for nothing.
func (s Setup) IsZero() bool { return len(s.Instances) == 0 && !s.Activate }

// Config returns the config that the setup has for the instance with that key, or nil.
func (s Setup) Config(key string) json.RawMessage {
	if i := s.Index(key); i >= 0 {
		return s.Instances[i].Config
	}
	return nil
}

// Index returns where the setup has the instance with that key, or -1.
func (s Setup) Index(key string) int {
	return slices.IndexFunc(s.Instances, func(in Instance) bool {
		var name string
		return json.Unmarshal(in.Key, &name) == nil && name == key
	})
}

// Instance is an instance that a setup asks for, field by field as it was written. A field
// that is nil or null is absent.
type Instance struct {
	Key     json.RawMessage
	Enabled json.RawMessage
	Config  json.RawMessage
	Granted json.RawMessage
}

// Files are the files of an extension that is being installed.
type Files struct {
	PackageID   string // the id that the package gets, if it is new; empty for a random one
	InstallPath string // relative to the data folder, slash-separated
	ZipHash     string // SHA-256 of the archive, in hex
	Replace     bool   // the same version may be replaced
	FromMarket  bool   // the official market published it; otherwise it was uploaded
	Builtin     bool   // it came with the platform, and can be upgraded but not uninstalled
	SignedBy    string // the name of the trusted key that signed it; empty if it is not signed
}

// Tx is a transaction of the database in which several kinds of extensions record
// together. Package store makes it. It has a method for each kind that returns the kind's
// own Store, such as Plugins() plugin.Store.
type Tx any

// Prepared is an extension that is ready to be recorded.
type Prepared interface {
	// Record records the extension in tx. It may run more than once, because a transaction
	// may. The error is an errs.Conflict if something changed since Prepare.
	Record(ctx context.Context, tx Tx) (Added, error)

	// Committed is called once after the transaction has committed. It ends what runs
	// with the old state.
	Committed()
}

// Added is what was recorded about an extension.
type Added struct {
	ID      string // of the package; another one after it was purged and installed again
	Outcome Outcome
	New     bool // the package, or this version of a theme, was not there before
	Record  Record
}

// Outcome is what an install came to.
type Outcome string

// The outcomes (contract 4.5).
const (
	WasInstalled Outcome = "installed"
	WasDuplicate Outcome = "duplicate" // it was there, from the same archive
	WasUpgraded  Outcome = "upgraded"  // another version of it was there, or other contents
)

// Record is what a kind recorded about an installed extension: for plugins a
// plugin.Installed.
type Record interface {
	// RequestID returns the Files.PackageID that the present version was added with.
	RequestID() string
}

// Removed is what is left to do after an extension was removed and the transaction has
// committed.
type Removed struct {
	Paths     []string // of the files to remove, relative to the data folder
	Committed func()   // ends what runs; may be nil
}
