package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension"
	"stoa/internal/shop/site"
	"stoa/internal/store"
)

func testSite(t *testing.T, open Open) {
	s := store.NewSite(open(t))
	ctx := t.Context()

	got, err := s.Settings(ctx)
	if diff := cmp.Diff(got, site.Settings{Version: 1}); diff != "" || err != nil {
		t.Fatalf("settings of a new database: %v (-got +want):\n%s", err, diff)
	}
	want := site.Settings{
		Name: "Acme", Accent: "#0f766e", SupportEmail: "help@acme.example", SupportURL: "https://acme.example/help",
		TermsURL: "https://acme.example/terms", PrivacyURL: "https://acme.example/privacy", Logo: "/media/logo.svg", Version: 2,
		UpdatedAt: T0.Add(time.Millisecond), ArchiveTypes: extension.Types{extension.Plugin: {".md", "license"}},
	}
	put := func(set site.Settings, then error) error {
		return s.InTx(ctx, func(st site.Store) error {
			if _, err := st.Settings(ctx); err != nil {
				return err
			}
			return errors.Join(st.PutSettings(ctx, set), then)
		})
	}
	if err := put(want, nil); err != nil {
		t.Fatal(err)
	}
	undone := errors.New("undone")
	if err := put(site.Settings{Version: 3}, undone); !errors.Is(err, undone) {
		t.Errorf("InTx = %v, want the error of fn", err)
	}
	got, err = s.Settings(ctx)
	if diff := cmp.Diff(got, want); diff != "" || err != nil {
		t.Errorf("settings: %v (-got +want):\n%s", err, diff)
	}
}
