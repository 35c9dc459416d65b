package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

// keptInMemory are the tables whose rows the gateway keeps in memory, each with a
// statement that changes one. notKept are the other tables of plugins.
//
// A new table of plugins belongs to one of them. In the first, it needs a trigger like
// those of migration 0031.
var (
	keptInMemory = map[string]string{
		"plugin_packages":  `UPDATE plugin_packages SET install_path = 'x'`,
		"plugin_instances": `UPDATE plugin_instances SET granted = '[]'`,
		"plugin_secrets":   `UPDATE plugin_secrets SET current_sealed = 'x'`,
	}
	notKept = []string{
		"plugin_generation", "plugin_failures", "plugin_previous_versions", "plugin_storage", "plugin_storage_use",
		"plugin_remains", "plugin_event_use", "plugin_health",
	}
)

func testGenerationTables(t *testing.T, open Open) {
	list := map[string]string{
		"sqlite":   `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'plugin%'`,
		"postgres": `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'plugin%'`,
	}
	db := open(t)
	tables, err := database.Texts(t.Context(), db.Conn().Read, list[db.Engine()])
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	for _, name := range tables {
		if _, kept := keptInMemory[name]; !kept && !slices.Contains(notKept, name) {
			t.Errorf("is %s kept in memory by the gateway? Then it needs triggers; see keptInMemory", name)
		}
	}
}

// Whoever writes the tables raises the generation, not only the methods of the store.
func testGenerationRises(t *testing.T, open Open) {
	db := open(t)
	s := store.NewPlugin(db)
	ctx := t.Context()
	rises := func(what string, change func() error) {
		t.Helper()
		before := generation(t, s)
		if err := change(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if after := generation(t, s); after <= before {
			t.Errorf("%s: generation %d, then %d", what, before, after)
		}
	}
	rises("a package", func() error { return s.CreatePackage(ctx, pkg("p1")) })
	rises("an instance", func() error { return s.CreateInstance(ctx, inst("p1", "i1", "default")) })
	rises("a secret", func() error { return s.PutSecret(ctx, "p1", plugin.Secret{Current: "c"}) })
	for table, statement := range keptInMemory {
		rises("UPDATE of "+table, func() error {
			_, err := db.Conn().Write.ExecContext(ctx, statement)
			return err
		})
	}
	for _, table := range []string{"plugin_secrets", "plugin_instances", "plugin_packages"} { // references last
		rises("DELETE of "+table, func() error {
			_, err := db.Conn().Write.ExecContext(ctx, `DELETE FROM `+table)
			return err
		})
	}
}

func generation(t *testing.T, s *store.Plugin) int64 {
	t.Helper()
	number, err := s.Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// Nobody who reads the raised generation reads what was before the change, and a change
// that is undone raises nothing.
func testGenerationTx(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	before := generation(t, s)
	undone := errors.New("undone")
	err := s.InTx(ctx, func(tx plugin.Store) error {
		return errors.Join(tx.DeletePackage(ctx, "p1", T0), undone)
	})
	if got := generation(t, s); !errors.Is(err, undone) || got != before {
		t.Errorf("undone: %v, generation %d, want %d", err, got, before)
	}
	err = s.InTx(ctx, func(tx plugin.Store) error {
		if err := tx.DeletePackage(ctx, "p1", T0); err != nil {
			return err
		}
		if got := generation(t, s); got != before { // outside of the transaction
			t.Errorf("generation %d before the commit, want %d", got, before)
		}
		return nil
	})
	if got := generation(t, s); err != nil || got <= before {
		t.Errorf("after the commit: %v, generation %d, want more than %d", err, got, before)
	}
}

// The process that made a change is told of it before the method returns.
func testOnChange(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	told := 0
	s.OnChange(func() { told++ })
	is := func(what string, want int) {
		t.Helper()
		if told != want {
			t.Errorf("after %s: told %d times, want %d", what, told, want)
		}
		told = 0
	}
	if _, _, err := s.FindByID(ctx, "p1", "i1"); err != nil {
		t.Fatal(err)
	}
	is("a read", 0)
	if err := s.PutSecret(ctx, "p1", plugin.Secret{Current: "d"}); err != nil {
		t.Fatal(err)
	}
	is("a statement", 1)
	err := s.InTx(ctx, func(tx plugin.Store) error {
		for range 2 {
			if err := tx.PutSecret(ctx, "p1", plugin.Secret{Current: "e"}); err != nil {
				return err
			}
		}
		is("statements in a transaction", 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	is("the transaction", 1)
	if err := s.DeletePackage(ctx, "p1", T0); err != nil { // a transaction of the store's own
		t.Fatal(err)
	}
	is("a method that is a transaction", 1)
	_ = s.InTx(ctx, func(tx plugin.Store) error { _, err := tx.GetPackage(ctx, "p1"); return err })
	is("a transaction that only reads", 0)
}

// On PostgreSQL other processes hear of changes, those made behind the store's back too.
func testListen(t *testing.T, open Open) {
	db := open(t)
	s := store.NewPlugin(db)
	ctx, stop := context.WithCancel(t.Context())
	heard, ended := make(chan struct{}, 100), make(chan error, 1)
	go func() { ended <- s.Listen(ctx, func() { heard <- struct{}{} }) }()
	if db.Engine() == "postgres" {
		<-heard // it listens
		if err := s.CreatePackage(ctx, pkg("p1")); err != nil {
			t.Error(err)
		}
		<-heard
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Listen = %v", err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("the pool after Listen: %v", err)
	}
}
