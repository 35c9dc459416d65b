package proof

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/s3test"
	"stoa/internal/testkit/waittest"
)

// command runs stoa with the settings of a process, changed by more, and returns what it says.
func (p *process) command(tb testing.TB, more []string, args ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), stoa(tb), args...)
	cmd.Env = append(os.Environ(), slices.Concat(p.env, more)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("stoa %v: %v\n%s", args, err, out)
	}
	if strings.Contains(string(out), s3test.SecretKey) {
		tb.Errorf("stoa %v shows the secret:\n%s", args, out)
	}
	return string(out)
}

// A shop in object storage is backed up to object storage, with packages and media, and restored
// from there: into another prefix, and into a data folder. Both have everything.
func TestAShopInObjectStorageIsBackedUpAndRestored(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts several processes")
	needtest.Program(t, "node", "")

	server := s3test.New(t)
	c := newReplicas(t, server.URL(t, "shop", "files", ""), 1)
	p := c.processes[0]
	stock := c.stock(t, p, c.people(t).admin, service(t))
	backups := server.URL(t, "backups", "nightly", "")
	if out := p.command(t, nil, "backup", "--to", backups); !strings.Contains(out, "s3://backups/nightly/stoa-") ||
		strings.Contains(out, "missing") {
		t.Errorf("backup says %q", out)
	}
	if out := p.command(t, nil, "backup", "verify", backups); !strings.Contains(out, "is whole") {
		t.Errorf("verify says %q", out)
	}
	p.kill()
	before := server.Count(t, "shop", "files")
	for name, storage := range map[string]string{"storage": server.URL(t, "shop", "restored", ""), "folder": "disk"} {
		data := filepath.Join(t.TempDir(), "data")
		place := []string{
			"STOA_DATA=" + data, "STOA_DATABASE_URL=" + filepath.Join(data, "stoa.db"), "STOA_STORAGE_URL=" + storage,
		}
		p.command(t, place, "restore", backups)
		if name == "storage" {
			for _, folder := range []string{"plugins", "media", "theme-shop"} { // the storage has them
				if err := os.RemoveAll(filepath.Join(data, folder)); err != nil {
					t.Fatal(err)
				}
			}
			if got := server.Count(t, "shop", "restored"); got != before {
				t.Errorf("the restored prefix has %d objects, want %d", got, before)
			}
		}
		restored := startProcess(t, slices.Concat(p.env, place))
		stock.want(t, restored)
		waittest.Until(t, "readiness on "+name, func() error {
			a, err := restored.call(t.Context(), http.MethodGet, "/readyz", nil, nil)
			if err != nil || a.status != http.StatusOK {
				return fmt.Errorf("%d, %v", a.status, err) //nolint:errorlint // err may be nil
			}
			return nil
		})
		restored.kill()
	}
}

// Backups by schedule go to object storage, and only as many are kept as they should.
func TestScheduledBackupsInObjectStorage(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts several processes")

	server := s3test.New(t)
	c := newReplicas(t, "disk", 1)
	p := c.processes[0]
	p.kill()
	url := server.URL(t, "backups", "", "")
	p.env = append(p.env, "STOA_BACKUP_URL="+url, "STOA_BACKUP_KEEP=2", "STOA_BACKUP_VERIFY_EVERY=0s")
	for range 3 {
		p.command(t, nil, "backup")
	}
	if n := server.Count(t, "backups", ""); n != 3 {
		t.Fatalf("%d backups by hand, want 3", n)
	}
	if _, err := c.db.ExecContext(t.Context(), `UPDATE backup_jobs SET ok_at_ms = 0`); err != nil { // the next is due
		t.Fatal(err)
	}
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	waittest.True(t, "the oldest backups to be removed", func() bool { return server.Count(t, "backups", "") == 2 })
}
