package bundle_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
)

func TestWhichVersionReplacesAnother(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name       string
		present    string
		fromMarket bool
		version    string
		replace    bool
		ok         bool
	}{
		{"the first", "", false, "1.0.0", false, true},
		{"a higher one", "1.9.0", false, "1.10.0", false, true},
		{"a higher one of the market", "1.0.0", true, "1.1.0", false, true},
		{"the same", "1.0.0", false, "1.0.0", false, false},
		{"the same, to be replaced", "1.0.0", false, "1.0.0", true, true},
		{"the same of the market, to be replaced", "1.0.0", true, "1.0.0", true, false},
		{"a lower one, to be replaced", "1.0.0", false, "0.9.0", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			if tt.present != "" {
				_, err := s.record(t, s.candidate(t, "starter", tt.present), extension.Files{FromMarket: tt.fromMarket}, added("pay", true))
				if err != nil {
					t.Fatal(err)
				}
			}
			c := s.candidate(t, "starter", tt.version)
			free := c.CheckFree(t.Context(), tt.replace)
			in, err := s.record(t, c, extension.Files{Replace: tt.replace}, added("pay", false))
			if (free == nil) != tt.ok || (err == nil) != tt.ok {
				t.Fatalf("CheckFree = %v, Record = %v, want ok: %v", free, err, tt.ok)
			}
			if !tt.ok {
				if !errors.Is(free, bundle.ErrVersionConflict) || !errors.Is(err, bundle.ErrVersionConflict) {
					t.Errorf("CheckFree = %v, Record = %v, want ErrVersionConflict", free, err)
				}
			} else if in.PreviousVersion != tt.present || in.Manifest.Version != tt.version {
				t.Errorf("installed %s over %q", in.Manifest.Version, in.PreviousVersion)
			}
		})
	}
}

// A bundle owns what was not there before it, also what only earlier versions of it had.
func TestWhatABundleOwns(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	first := s.install(t, "starter", "1.0.0", added("pay", true), added("mail", true), added("chat", false))
	if got := list(first.Items); got != "pay! mail! chat" {
		t.Errorf("first: %s", got)
	}
	s.clock.Advance(time.Hour)
	again := s.install(t, "starter", "1.1.0", added("pay", false), added("chat", false), added("news", true))
	if got := list(again.Items); got != "pay! chat news! mail!-" || list(again.Listed()) != "pay! chat news!" {
		t.Errorf("again: %s, listed %s", got, list(again.Listed()))
	}
	if again.ID != first.ID || !again.InstalledAt.Equal(opened) || !again.UpdatedAt.Equal(opened.Add(time.Hour)) ||
		again.RequestID() == first.RequestID() {
		t.Errorf("again: %+v", again.Bundle)
	}
	purged := added("pay", true) // somebody removed it for good, and the bundle brought it again
	purged.ID = "another"
	third := s.install(t, "starter", "1.2.0", purged)
	if got := list(third.Items); got != "pay! pay!- news!- mail!-" {
		t.Errorf("third: %s", got)
	}
	stored, err := s.Get(t.Context(), "starter")
	if err != nil || list(stored.Items) != list(third.Items) {
		t.Errorf("stored: %s, %v", list(stored.Items), err)
	}
}

func TestWhatAnUninstallTakesAlong(t *testing.T) {
	t.Parallel()

	gone := errs.New(errs.NotFound, "NOT_FOUND", "It is not installed.")
	for _, tt := range []struct {
		name          string
		what          bundle.Removal
		fails         map[string]error
		items, kept   string
		removed, runs string
	}{
		{"the bundle alone", bundle.Removal{}, nil, "", "chat!", "", ""},
		{
			"its items, the last first",
			bundle.Removal{Items: true},
			nil,
			"mail! pay!", "chat!", "mail id-mail,pay id-pay", "mail,pay",
		},
		{
			"its items for good",
			bundle.Removal{Items: true, Purge: true},
			nil,
			"mail! pay!", "chat!", "mail id-mail for good,pay id-pay for good", "mail,pay",
		},
		{
			"without what was removed by hand",
			bundle.Removal{Items: true},
			map[string]error{"mail": gone},
			"pay!", "chat!", "pay id-pay", "pay",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			s.install(t, "starter", "1.0.0", added("pay", true), added("news", false), added("chat", true), added("mail", true))
			s.install(t, "other", "1.0.0", added("chat", false))
			s.news(t)
			s.fails = tt.fails
			done, err := s.Uninstall(t.Context(), "starter", tt.what)
			if err != nil {
				t.Fatal(err)
			}
			if list(done.Items) != tt.items || list(done.Kept) != tt.kept ||
				strings.Join(s.removed, ",") != tt.removed || strings.Join(s.committed, ",") != tt.runs {
				t.Errorf("items %s, kept %s, removed %q, ended %q", list(done.Items), list(done.Kept), s.removed, s.committed)
			}
			if _, err := s.Get(t.Context(), "starter"); !errors.Is(err, bundle.ErrNotFound) {
				t.Errorf("afterwards: %v", err)
			}
			// What another bundle has is that one's now.
			if other, err := s.Get(t.Context(), "other"); err != nil || list(other.Items) != "chat!" {
				t.Errorf("the other has %s, %v", list(other.Items), err)
			}
			news := s.news(t)
			if !strings.Contains(news, `extension.uninstalled {"kind":"bundle","slug":"starter"}`) ||
				!strings.Contains(news, "bundle.uninstall ") {
				t.Errorf("news: %s", news)
			}
		})
	}
}

// If one item must stay, everything stays.
func TestAnUninstallThatIsRefused(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.install(t, "starter", "1.0.0", added("pay", true), added("chat", true), added("aurora", true))
	s.install(t, "other", "1.0.0", added("chat", false))
	s.news(t)
	s.fails["pay"] = errActive
	if _, err := s.Uninstall(t.Context(), "starter", bundle.Removal{Items: true}); !errors.Is(err, errActive) {
		t.Errorf("error = %v", err)
	}
	stored, err := s.Get(t.Context(), "starter")
	if err != nil || list(stored.Items) != "pay! chat! aurora!" || len(s.committed) != 0 || s.news(t) != "" {
		t.Errorf("afterwards: %s, %v, ended %q", list(stored.Items), err, s.committed)
	}
	if other, err := s.Get(t.Context(), "other"); err != nil || list(other.Items) != "chat" {
		t.Errorf("the other has %s, %v", list(other.Items), err)
	}
	for _, slug := range []string{"unknown", "Not a slug"} {
		_, found := s.Get(t.Context(), slug)
		_, removed := s.Uninstall(t.Context(), slug, bundle.Removal{})
		if !errors.Is(found, bundle.ErrNotFound) || !errors.Is(removed, bundle.ErrNotFound) {
			t.Errorf("%s: %v, %v", slug, found, removed)
		}
	}
}

// Configs with secrets may be part of one another, and stand in the manifest several times.
func TestAKeptManifestHasNoSecrets(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	const inner, public = `{"apiKey":"s3cret-1"}`, `{"apiKey":""}`
	outer, outerPublic := `{"apiKey":"s3cret-2","more":`+inner+`}`, `{"apiKey":"","more":`+public+`}`
	open := `{ "limit" : 5 }`
	c := s.candidate(t, "starter", "1.0.0", inner, outer, inner, open)
	var items []install.ItemAdded
	for i, config := range []string{public, outerPublic, public, `{"limit":5}`} {
		one := added(strings.Repeat("a", i+1), true)
		one.Configs = []json.RawMessage{json.RawMessage(config)}
		items = append(items, one)
	}
	in, err := s.record(t, c, extension.Files{}, items...)
	if err != nil {
		t.Fatal(err)
	}
	raw := string(in.Manifest.Raw)
	if strings.Contains(raw, "s3cret") || !strings.Contains(raw, outerPublic) || strings.Count(raw, public) != 3 ||
		!strings.Contains(raw, open) || !json.Valid(in.Manifest.Raw) {
		t.Errorf("kept: %s", raw)
	}
	if news := s.news(t); strings.Contains(news, "s3cret") {
		t.Errorf("news: %s", news)
	}
}

func TestWhatBundlesTell(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	s.install(t, "starter", "1.0.0", added("pay", true))
	want := []string{`extension.installed {"kind":"bundle","slug":"starter"}`, "bundle.install ", `"plugin/pay 1.0.0"`}
	if news := s.news(t); slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(news, s) }) {
		t.Errorf("installed: %s", news)
	}
	s.install(t, "starter", "1.1.0", added("pay", false))
	want = []string{`extension.upgraded {"kind":"bundle","slug":"starter"}`, "bundle.upgrade ", `"previousVersion":"1.0.0"`}
	if news := s.news(t); slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(news, s) }) {
		t.Errorf("upgraded: %s", news)
	}
}

func TestTheRegistryOfBundles(t *testing.T) {
	t.Parallel()

	s, ctx := openShop(t), t.Context()
	c := s.candidate(t, "starter", "1.0.0")
	files := extension.Files{PackageID: "request", ZipHash: "hash", FromMarket: true, SignedBy: "acme"}
	in, err := s.record(t, c, files, added("pay", true))
	if err != nil || in.ID != "request" || in.RequestID() != "request" || !in.FromMarket || in.SignedBy != "acme" {
		t.Errorf("installed: %+v, %v", in, err)
	}
	if found, ok, err := s.registry.FindArchive(ctx, "hash"); err != nil || !ok || found.RequestID() != "request" {
		t.Errorf("FindArchive = %v, %v, %v", found, ok, err)
	}
	if found, ok, err := s.registry.FindArchive(ctx, "another"); err != nil || ok || found != nil {
		t.Errorf("FindArchive of another = %v, %v, %v", found, ok, err)
	}
	present, err := s.registry.Installed(ctx)
	want := []extension.Present{{Kind: extension.Bundle, Slug: "starter", Version: "1.0.0", ZipHash: "hash", FromMarket: true}}
	if err != nil || !slices.Equal(present, want) {
		t.Errorf("Installed = %+v, %v", present, err)
	}
	if p := s.registry.Profile(); p.Manifest != "bundle.json" || p.MaxSize != 500<<20 ||
		!slices.Equal(p.Types, []string{".zip", ".json"}) {
		t.Errorf("Profile = %+v", p)
	}
	// A bundle is no item of a bundle.
	_, prepared := c.Prepare(ctx, files, extension.Setup{})
	_, adopted := c.Adopt(ctx, "hash", extension.Setup{})
	_, removed := s.registry.Remove(ctx, nil, "starter", "request", true)
	var faults errs.Issues
	for what, err := range map[string]error{
		"Prepare": prepared, "Adopt": adopted, "Remove": removed, "CheckSetup": c.CheckSetup(ctx, extension.Setup{}, &faults),
	} {
		if err == nil {
			t.Errorf("%s works", what)
		}
	}
}
