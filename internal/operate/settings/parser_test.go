package settings

import (
	"errors"
	"io"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// commands are two of stoa's.
type commands struct {
	Serve   Serve   `cmd:""`
	Migrate migrate `cmd:""`
}

type migrate struct{ Storage }

// parse reads a command line.
func parse(t *testing.T, args ...string) (commands, error) {
	t.Helper()
	var c commands
	p, err := NewParser(&c, kong.Name("stoa"), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Parse(args)
	return c, err
}

// Whoever corrects one setting must not learn of the next one by another start.
func TestEveryFaultIsNamedAtOnce(t *testing.T) {
	t.Parallel()

	_, err := parse(t, "serve", "--lease-ttl=long", "--payments=maybe", "--body-memory=15", "--health-interval=1s",
		"--public-url=shop.example.com", "--cors-origins=https://a.example/", "--backup-dir=a", "--backup-url=s3://b",
		"--backup-every=1s", "--backup-keep=0", "--backup-verify-every=-1s", "--archive-types=plugin", "--trusted-keys=x",
		"--trusted-proxies=10.0.0.300/8")
	faults, ok := errors.AsType[*Faults](err)
	if !ok || !faults.Malformed {
		t.Fatalf("%v, want faults", err)
	}
	want := []string{
		`--lease-ttl must be a duration such as 90s, 15m or 168h, not "long"`,
		`--trusted-proxies must be networks such as 10.0.0.0/8 or 2001:db8::/32, separated by commas, not "10.0.0.300/8"`,
		`--payments must be one of "test","live" but got "maybe"`,
		"--body-memory is 15: it must be from 16 to 65536 MiB",
		"--health-interval is 1s: it must be from 5s to 1h, or 0s",
		"--backup-every must be at least 1m",
		"--backup-keep must be at least 1",
		"--backup-verify-every must not be negative",
		`--public-url "shop.example.com" has no scheme; write https://shop.example.com`,
		`--cors-origins: "https://a.example/" is not spelled`,
		"--trusted-keys: ",
		"say where backups should be once: --backup-dir or --backup-url",
		"--archive-types: ",
	}
	got := strings.Split(err.Error(), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d faults, want %d:\n%v", len(got), len(want), err)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("fault %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// A value that cannot be read is answered in stoa's words, on whatever command, with the form that it
// should have.
func TestNoFaultIsInTheWordsOfAParser(t *testing.T) {
	t.Parallel()

	tried := 0
	var c commands
	p, err := NewParser(&c, kong.Name("stoa"), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	for f, row := range p.rows {
		if f.Target.Kind() == reflect.String || f.Target.Type() == reflect.TypeFor[[]string]() {
			continue
		}
		for _, value := range []string{"nginx", "", "1e99", "10.0.0.1", "-", "99999999999999999999"} {
			if _, err := netip.ParsePrefix(value); err == nil || f.IsBool() && value == "" {
				continue
			}
			_, err := parse(t, "serve", "--"+f.Name+"="+value)
			if value == "" && err == nil {
				continue // as if it were not there
			}
			tried++
			if err == nil || !strings.HasPrefix(err.Error(), "--"+f.Name+" must be ") {
				t.Errorf("--%s=%s: %v", f.Name, value, err)
				continue
			}
			for _, word := range []string{"expected", "parse", "strconv", "netip", "slog", "syntax", "envar", "kong"} {
				if strings.Contains(strings.ReplaceAll(err.Error(), row.Flag, ""), word) {
					t.Errorf("--%s=%s: %v", f.Name, value, err)
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d values were tried", tried)
	}
}

// Every bound in the table holds, at the limit and one beyond it.
func TestEveryBoundHolds(t *testing.T) {
	t.Parallel()

	for _, row := range Table() {
		if row.Bounds.text == nil || row.Mark != "" || row.Command != "" {
			continue
		}
		t.Run(row.Flag, func(t *testing.T) {
			t.Parallel()

			accepted := func(value int64) bool {
				text := strconv.FormatInt(value, 10)
				if strings.Contains(row.Bounds.text(1e9), "s") {
					text = time.Duration(value).String()
				}
				_, err := parse(t, "serve", "--backup-dir=backups", "--"+row.Flag+"="+text)
				if err != nil && !strings.Contains(err.Error(), "--"+row.Flag+" ") {
					t.Errorf("--%s=%s: %v, want the flag named", row.Flag, text, err)
				}
				return err == nil
			}
			b := row.Bounds
			if !accepted(b.least) || accepted(b.least-1) {
				t.Errorf("%s accepted: %t; one less: %t", b.text(b.least), accepted(b.least), accepted(b.least-1))
			}
			if b.most < anyNumber && (!accepted(b.most) || accepted(b.most+1)) {
				t.Errorf("%s accepted: %t; one more: %t", b.text(b.most), accepted(b.most), accepted(b.most+1))
			}
			if accepted(0) != (b.least <= 0 || b.orZero) {
				t.Errorf("0 accepted: %t", accepted(0))
			}
		})
	}
}

// What operators were promised, so that no change of the table passes unseen.
func TestBoundsAreAsDocumented(t *testing.T) {
	t.Parallel()

	got := make(map[string]string)
	for _, row := range Table() {
		if row.Bounds.text != nil && row.Mark == "" {
			got[row.Flag] = row.Bounds.String()
		}
	}
	want := map[string]string{
		"lease-ttl": "1m to 8760h", "lease-grace": "0s to 720h", "renewal-leeway": "0s to 720h",
		"license-churn": "0 to 1000000", "body-memory": "16 to 65536", "body-rate": "0 to 1048576",
		"account-deletion-days": "0 to 30",
		"address-connections":   "0 to 1000000", "media-cache": "0 to 16777216", "health-interval": "5s to 1h, or 0s",
		"metrics-installations": "0 to 1000", "min-count": "at least 0", "backup-every": "at least 1m", "backup-keep": "at least 1",
		"backup-verify-every": "at least 0s", "after": "at least 0", "stop-delay": "at least 0s", "stop-timeout": "at least 0s",
		"retain-billing": "at least 0s", "threshold": "1 to 16",
		"session-max": "1h to 8760h", "admin-reauth": "1m to 24h",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bounds (-want +got):\n%s", diff)
	}
}

// Without a place for backups, the settings of backups do not matter.
func TestBoundsOfBackupsNeedAPlace(t *testing.T) {
	t.Parallel()

	if _, err := parse(t, "serve", "--backup-every=1s", "--backup-keep=0"); err != nil {
		t.Errorf("without a place: %v", err)
	}
	if _, err := parse(t, "serve", "--backup-url=s3://b", "--backup-keep=0"); err == nil {
		t.Error("no backup is kept in object storage")
	}
}

func TestAFlagWithoutARowIsRefused(t *testing.T) {
	t.Parallel()

	var c struct {
		Serve struct {
			Data    string
			Novelty bool
		} `cmd:""`
	}
	if _, err := NewParser(&c, kong.Name("stoa")); err == nil || !strings.Contains(err.Error(), "--novelty of stoa serve") {
		t.Errorf("a flag that is not in the table: %v", err)
	}
}

func TestDefaultsAndListsAreRead(t *testing.T) {
	t.Parallel()

	c, err := parse(t, "serve", "--demo", "--allowed-hosts=a,b", "--allowed-hosts", "c")
	if err != nil {
		t.Fatal(err)
	}
	s := c.Serve
	if s.Addr != "127.0.0.1:8080" || !s.Demo || s.LeaseTTL != 168*time.Hour || s.BackupKeep != 14 || s.Payments != "" ||
		!slices.Equal(s.AllowedHosts, []string{"a", "b", "c"}) || len(s.DevInstances) != 3 {
		t.Errorf("got %+v", s)
	}
}
