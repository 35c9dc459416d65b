package site_test

import (
	"context"
	"errors"
	"testing"

	"stoa/internal/shop/site"
)

// memory is a Store that fails while err is set.
type memory struct {
	site.Store

	set site.Settings
	err error
}

func (m *memory) Settings(context.Context) (site.Settings, error) { return m.set, m.err }

// A page is served with the name of a moment ago, rather than not at all.
func TestNameOutlivesTheDatabase(t *testing.T) {
	t.Parallel()

	st := &memory{err: errors.New("the database is away")}
	s := &site.Service{Store: st, PublicURL: "https://shop.example:8443/"}
	if got := s.Name(t.Context()); got != "" {
		t.Errorf("Name before anything was read = %q", got)
	}
	if got := s.Called(t.Context()); got != "shop.example:8443" {
		t.Errorf("Called = %q, want the host", got)
	}
	st.set, st.err = site.Settings{Name: "Acme"}, nil
	if got := s.Called(t.Context()); got != "Acme" {
		t.Errorf("Called = %q, want Acme", got)
	}
	st.err = errors.New("the database is away")
	if got := s.Name(t.Context()); got != "Acme" {
		t.Errorf("Name without a database = %q, want the last one", got)
	}
	if got := (&site.Service{Store: st}).Default(); got != "this shop" {
		t.Errorf("Default without an address = %q", got)
	}
}
