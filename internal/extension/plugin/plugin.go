package plugin

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"time"
)

// RuntimeType says how a plugin is run.
type RuntimeType string

// The runtime types (contract 4.3).
const (
	External RuntimeType = "external-http"    // a separate HTTP service
	Internal RuntimeType = "internal-fastify" // JavaScript run by the platform
)

// Source says where a package came from.
type Source string

// The sources (contract 4.4).
const (
	SourceBuiltin  Source = "builtin"
	SourceLocalZip Source = "local-zip"
	SourceMarket   Source = "official-market"
)

// DefaultInstance is the key of the instance every package has.
const DefaultInstance = "default"

// Package is an installed plugin package.
type Package struct {
	ID          string
	Source      Source
	InstallPath string // relative to the data folder, slash-separated
	ZipHash     string // SHA-256 of the archive, in hex
	SignedBy    string // the name of the key that signed the archive; empty if it is not signed
	Manifest    Manifest
	Settings    Settings
	License     License // the database finds it; writing a Package does not change it

	// UpgradeID is the id of the request that installed the present version over an
	// earlier one. Empty for the first version, whose request has the package's ID.
	UpgradeID string

	InstalledAt time.Time
	UpdatedAt   time.Time
	DeletedAt   time.Time // zero unless uninstalled
}

// Version is a version of a package that another has replaced. Its files stay for a
// rollback (contract 4.6).
type Version struct {
	Source      Source
	InstallPath string
	ZipHash     string
	SignedBy    string
	Manifest    Manifest

	// Consents are what its instances and settings had, when it was replaced, of what a consent is needed for: names of
	// permissions and of settings. A rollback may go on with them (contract 2.30).
	Consents []string
}

// version returns the present version of p.
func (p Package) version() Version {
	return Version{
		Source: p.Source, InstallPath: p.InstallPath, ZipHash: p.ZipHash, SignedBy: p.SignedBy, Manifest: p.Manifest,
	}
}

// as returns p with v as its present version.
func (p Package) as(v Version, now time.Time) Package {
	p.Source, p.InstallPath, p.ZipHash, p.Manifest = v.Source, v.InstallPath, v.ZipHash, v.Manifest
	p.SignedBy = v.SignedBy
	p.UpdatedAt = now
	return p
}

// Instance is one configured use of a package.
//
// Its ID is the tenant boundary: globally unique and never reused. Key is a label for
// people, unique within the package.
type Instance struct {
	ID      string // UUID; the installation id
	Slug    string
	Key     string
	Enabled bool

	// Enabling counts how often the instance was enabled, from 1. The database counts: it changes
	// with Enabled, whoever writes that. Writing an Instance does not change it.
	Enabling int64

	// Config is a JSON object with the values of secret fields in the clear, or
	// nil. It is encrypted in the database. Never log it; answer PublicConfig.
	Config json.RawMessage

	// Granted are the permissions an administrator consented to: always a subset
	// of what the package declares.
	Granted []string

	// Undecided are permissions that versions asked for, and that whoever installed them might not give, until somebody
	// who may give them decides. See Installed.Undecided.
	Undecided []string

	// Version counts changes of the row, for ETag and If-Match.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt time.Time // zero unless deleted
}

// Installed is an instance with its package: all it takes to run it.
type Installed struct {
	Package  Package
	Instance Instance

	// Notes has what the gateway derives from this state, so that it need not look for it. nil:
	// there is no room for that. Whoever makes another state of it makes it nil.
	Notes *atomic.Value
}

// Revision identifies the state of an instance and its package that a process
// was started with.
type Revision struct {
	Instance int64     // Instance.Version
	ZipHash  string    // of the package
	Updated  time.Time // Package.UpdatedAt
	Settings int64     // Settings.Version of the package
}

// Revision returns the state that in was read in.
func (in Installed) Revision() Revision {
	return Revision{
		Instance: in.Instance.Version, ZipHash: in.Package.ZipHash, Updated: in.Package.UpdatedAt,
		Settings: in.Package.Settings.Version,
	}
}

// Replaces reports whether a process started with old must give way to one started
// with r. A state that was read before a change and used after it does not bring
// the old state back.
func (r Revision) Replaces(old Revision) bool {
	switch {
	case r.Instance != old.Instance:
		return r.Instance > old.Instance
	case r.ZipHash != old.ZipHash:
		return !r.Updated.Before(old.Updated)
	}
	return r.Settings > old.Settings
}

// Permissions returns the effective permissions: granted and still declared
// (contract 4.11), in the order of the grant.
func (in Installed) Permissions() []string {
	declared := make(map[string]bool, len(in.Package.Manifest.Permissions))
	for _, p := range in.Package.Manifest.Permissions {
		declared[p] = true
	}
	effective := make([]string, 0, len(in.Instance.Granted))
	for _, p := range in.Instance.Granted {
		if declared[p] {
			effective = append(effective, p)
		}
	}
	return effective
}

// Undecided returns what the present version asks for and still waits for a decision (contract 2.30).
func (in Installed) Undecided() []string {
	return slices.DeleteFunc(slices.Clone(in.Instance.Undecided), func(name string) bool {
		return slices.Contains(in.Instance.Granted, name) || !slices.Contains(in.Package.Manifest.Permissions, name)
	})
}

// Finder looks up instances for the gateway.
type Finder interface {
	// ByID returns the instance of a package with that installation id, ByKey the one
	// with that key, enabled or not. The error is an errs.NotFound for unknown
	// instances, deleted ones, and those of other or uninstalled packages. What they return
	// is shared: nobody may change it.
	ByID(ctx context.Context, slug, installationID string) (*Installed, error)
	ByKey(ctx context.Context, slug, key string) (*Installed, error)
}

// Secret is a package's signing secret. The bytes of the string are the HMAC key
// (contract 4.12).
type Secret struct {
	Current string
	// Previous still signs, beside Current, until PreviousUntil. Empty if the
	// secret was never rotated or the overlap has passed.
	Previous      string
	PreviousUntil time.Time
}
