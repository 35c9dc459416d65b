package extension_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/extension/plugin"
	"stoa/internal/testkit"
)

// warnings passes on the messages of warnings.
type warnings struct {
	slog.Handler

	seen chan string
}

func (w warnings) WithAttrs([]slog.Attr) slog.Handler { return w }

func (w warnings) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == slog.LevelWarn {
		select {
		case w.seen <- r.Message:
		default:
		}
	}
	return w.Handler.Handle(ctx, r)
}

func TestTamperingIsToldAfterTheStart(t *testing.T) {
	t.Parallel()

	var dir, at string
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { dir, at = cfg.DataDir, cfg.DatabaseURL })
	admin := a.Admin(t, "root").Access
	wantAnswer(t, a.Install(t, admin, "plugin", idle(t, "pay", "1.0.0")), 201, "")
	p, err := a.Plugins.Get(t.Context(), "pay")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, p.InstallPath, "manifest.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 16)
	b := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.DataDir, cfg.DatabaseURL, cfg.CheckFiles = dir, at, true
		cfg.Log = slog.New(warnings{cfg.Log.Handler(), seen})
	})
	late := time.After(2 * time.Minute)
	for {
		select {
		case message := <-seen:
			if message != "the files of a package are not as they were installed" {
				continue
			}
			// It is reported and stays installed: people decide what to do.
			if got, err := b.Plugins.Get(t.Context(), "pay"); err != nil || got.Source != plugin.SourceLocalZip {
				t.Errorf("the package is %+v, %v", got, err)
			}
			return
		case <-late:
			t.Fatal("no warning")
		}
	}
}
