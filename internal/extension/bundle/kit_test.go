package bundle_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// opened is the time at which the shops of these tests open.
var opened = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// shop has bundles, and stands for the kinds of their items, which it only removes.
type shop struct {
	extension.Registry
	*bundle.Service

	registry bundle.Registry
	db       *database.DB
	clock    *clocktest.Clock

	removed   []string         // "slug id", with " for good" if so
	fails     map[string]error // of a removal, by slug
	committed []string         // slugs whose removal has committed

	events, entries int // that news has returned
}

func openShop(t *testing.T) *shop {
	t.Helper()
	db := dbtest.Open(t, dbtest.SQLite(t))
	s := &shop{db: db, clock: clocktest.New(opened), fails: make(map[string]error)}
	s.Service = &bundle.Service{
		Store: store.NewBundles(db), Records: store.NewExtensions(db, store.NewPlugin(db)), Now: s.clock.Now,
		Kinds: extension.Registries{extension.Plugin: s, extension.ThemeShop: s},
	}
	s.registry = bundle.Registry{Service: s.Service}
	return s
}

// Remove implements extension.Registry.
func (s *shop) Remove(_ context.Context, _ extension.Tx, slug, id string, purge bool) (extension.Removed, error) {
	if err := s.fails[slug]; err != nil {
		return extension.Removed{}, err
	}
	what := slug + " " + id
	if purge {
		what += " for good"
	}
	s.removed = append(s.removed, what)
	return extension.Removed{Paths: []string{"plugins/" + slug}, Committed: func() { s.committed = append(s.committed, slug) }}, nil
}

// added is the item of a plugin that a bundle brought.
func added(slug string, fresh bool) install.ItemAdded {
	outcome := extension.WasDuplicate
	if fresh {
		outcome = extension.WasInstalled
	}
	return install.ItemAdded{
		Added: extension.Added{ID: "id-" + slug, Outcome: outcome, New: fresh},
		Kind:  extension.Plugin, Slug: slug, Version: "1.0.0",
	}
}

// candidate reads the manifest of a bundle with an item for each of the configs.
func (s *shop) candidate(t *testing.T, slug, version string, configs ...string) install.Collection {
	t.Helper()
	if len(configs) == 0 {
		configs = []string{"null"}
	}
	var items []string
	for i, config := range configs {
		items = append(items, fmt.Sprintf(`{"kind":"plugin","path":"%d.zip","instances":[{"instanceKey":"a","config":%s}]}`, i, config))
	}
	raw := fmt.Appendf(nil, `{"schemaVersion":1,"slug":%q,"name":"N","version":%q,"items":[%s]}`,
		slug, version, strings.Join(items, ","))
	c, err := s.registry.ReadManifest(raw, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return c.(install.Collection)
}

// record installs a bundle whose items came to that.
func (s *shop) record(t *testing.T, c install.Collection, files extension.Files, items ...install.ItemAdded) (bundle.Installed, error) {
	t.Helper()
	var in bundle.Installed
	for i := range items {
		if items[i].Configs == nil {
			items[i].Configs = []json.RawMessage{nil}
		}
	}
	err := s.Records.InTurn(t.Context(), func(tx extension.Tx) error {
		if err := c.Begin(t.Context(), tx, files.Replace); err != nil {
			return err
		}
		done, err := c.Record(t.Context(), tx, files, items)
		if err == nil {
			in = done.(bundle.Installed)
		}
		return err
	})
	return in, err
}

func (s *shop) install(t *testing.T, slug, version string, items ...install.ItemAdded) bundle.Installed {
	t.Helper()
	in, err := s.record(t, s.candidate(t, slug, version, slices.Repeat([]string{"null"}, max(1, len(items)))...),
		extension.Files{ZipHash: slug + version}, items...)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// list describes items as "slug", with "!" if the bundle owns it and "-" if its present version has it not.
func list(items []bundle.Item) string {
	var out []string
	for _, i := range items {
		text := i.Slug
		if i.Owned {
			text += "!"
		}
		if !i.Listed {
			text += "-"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// news returns the events and the entries of the audit log since the last call.
func (s *shop) news(t *testing.T) string {
	t.Helper()
	read := s.db.Conn().Read
	events, err := database.Texts(t.Context(), read, `SELECT type || ' ' || data_json FROM events ORDER BY seq`)
	entries, failed := database.Texts(t.Context(), read, `SELECT action || ' ' || details_json FROM audit_log ORDER BY seq`)
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	fresh := slices.Concat(events[s.events:], entries[s.entries:])
	s.events, s.entries = len(events), len(entries)
	return strings.Join(fresh, "\n")
}

var errActive = errs.New(errs.Conflict, "THEME_ACTIVE", "The theme is active.")
