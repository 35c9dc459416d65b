package site

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/trust/audit"
)

// Service reads and changes the settings. All fields but DefaultName, Changed and, where no
// language is set, HasLanguage are required. It is safe for concurrent use.
type Service struct {
	Store Store
	Now   func() time.Time
	// DefaultName is the shop's name while the settings have none. It may be empty.
	DefaultName string
	// HasLanguage reports whether pages are in a language.
	HasLanguage func(tag string) bool
	// PublicURL is where people reach the shop.
	PublicURL string
	// Changed, unless it is nil, is called after the settings were changed.
	Changed func(ctx context.Context)
	// FixedTypes, unless it is empty, are the operator's file types for packages
	// (STOA_ARCHIVE_TYPES): they hold in place of those in the settings, which cannot be changed.
	FixedTypes extension.Types

	last atomic.Pointer[Settings] // those read last
}

// Get returns the settings. They are read each time, so every replica has the same.
func (s *Service) Get(ctx context.Context) (Settings, error) {
	set, err := s.Store.Settings(ctx)
	if err != nil {
		return Settings{}, err
	}
	s.last.Store(&set)
	return set, nil
}

// ArchiveTypes returns the file types that packages of a kind may contain beyond their kind's own,
// and whether they are FixedTypes. All replicas have a change at once.
func (s *Service) ArchiveTypes(ctx context.Context, kind extension.Kind) (types []string, fixed bool, err error) {
	if len(s.FixedTypes) > 0 {
		return s.FixedTypes[kind], true, nil
	}
	set, err := s.Get(ctx)
	return set.ArchiveTypes[kind], false, err
}

// Issues returns everything that is wrong with a change.
func (s *Service) Issues(ch Change) errs.Issues {
	faults := ch.Issues()
	if ch.Language != nil && *ch.Language != "" && !s.HasLanguage(*ch.Language) {
		faults.Add("language", errs.CodeUnknownValue, "language is none of those that pages are in.")
	}
	if len(s.FixedTypes) > 0 && !s.areFixed(ch.ArchiveTypes) {
		faults.Add("archiveTypes", errs.CodeReadOnly, "archiveTypes cannot be changed: the operator has set "+
			"STOA_ARCHIVE_TYPES, which wins.")
	}
	return faults
}

// areFixed reports whether types are among FixedTypes, as whoever read the settings sends them back.
func (s *Service) areFixed(types map[extension.Kind][]string) bool {
	for kind, list := range types {
		if !slices.Equal(list, s.FixedTypes[kind]) {
			return false
		}
	}
	return true
}

// Change changes the settings and returns them. match, unless it is nil, reports whether
// their present version is the one that the change is about. The error is ErrStale, or
// VALIDATION_ERROR for what Issues finds.
func (s *Service) Change(ctx context.Context, ch Change, match func(version int64) bool) (Settings, error) {
	if err := s.Issues(ch).Err(); err != nil {
		return Settings{}, err
	}
	if len(s.FixedTypes) > 0 {
		ch.ArchiveTypes = nil // not for the time when nothing is fixed any more
	}
	var set Settings
	err := s.Store.InTx(ctx, func(st Store) (err error) {
		if set, err = st.Settings(ctx); err != nil {
			return err
		}
		if match != nil && !match(set.Version) {
			return ErrStale
		}
		changed := ch.apply(&set)
		if len(changed) == 0 {
			return nil
		}
		set.Version++
		set.UpdatedAt = s.Now().UTC().Truncate(time.Millisecond)
		if err := st.PutSettings(ctx, set); err != nil {
			return err
		}
		return st.Record(ctx, audit.New(ctx, s.Now(), audit.SettingsUpdate, audit.Target{Type: "settings"},
			audit.Details{"fields": changed}))
	})
	if err != nil {
		return Settings{}, err
	}
	if s.Changed != nil {
		s.Changed(ctx)
	}
	return set, nil
}

// Shown returns the settings for pages, with DefaultName in place of an empty name. If the
// database does not answer, they are those that were read last: a page with a name of
// yesterday is better than none.
func (s *Service) Shown(ctx context.Context) Settings {
	set, err := s.Get(ctx)
	if last := s.last.Load(); err != nil && last != nil {
		set = *last
	}
	set.Name = cmp.Or(set.Name, s.DefaultName)
	return set
}

// Name returns the shop's name, or "" if it has none.
func (s *Service) Name(ctx context.Context) string { return s.Shown(ctx).Name }

// Called returns what texts call the shop, which is never empty: its name, or the address
// it is at.
func (s *Service) Called(ctx context.Context) string {
	return cmp.Or(s.Name(ctx), s.address())
}

// Default returns what texts call the shop while its settings have no name.
func (s *Service) Default() string { return cmp.Or(s.DefaultName, s.address()) }

func (s *Service) address() string {
	if u, err := url.Parse(s.PublicURL); err == nil && u.Host != "" {
		return u.Host
	}
	return "this shop"
}
