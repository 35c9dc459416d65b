package install_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/ziptest"
	"stoa/internal/trust/seal"
)

// crashDir names, in a child process of the crash test, the data folder to crash
// in.
const crashDir = "STOA_TEST_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		installUntilKilled(dir)
		return
	}
	os.Exit(m.Run())
}

// wrapped lets a test stand between an installer and the database.
type wrapped struct {
	*store.Extensions

	before func() error // before a package is recorded
}

func (w wrapped) InTx(ctx context.Context, fn func(extension.Tx) error) error {
	if err := w.before(); err != nil {
		return err
	}
	return w.Extensions.InTx(ctx, fn)
}

// installer is an Installer of plugins and the service they are recorded with.
type installer struct {
	*install.Installer

	Plugins *plugin.Service
	db      *database.DB
}

// open returns an installer on the database and the data folder dir.
func open(ctx context.Context, dir string, before func() error) (*installer, func(), error) {
	db, err := database.Open(filepath.Join(dir, "stoa.db"))
	if err != nil {
		return nil, nil, err
	}
	if _, err := store.Migrate(ctx, db, "test"); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	key, err := seal.ParseKey(strings.Repeat("00", seal.KeySize))
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	st := store.NewPlugin(db)
	records := wrapped{Extensions: store.NewExtensions(db, st), before: before}
	plugins := &plugin.Service{Store: st, Now: time.Now, Configs: key.Box("c"), Secrets: key.Box("s")}
	kinds := extension.Registries{extension.Plugin: plugin.Registry{Service: plugins}}
	return &installer{
		Installer: &install.Installer{Kinds: kinds, Records: records, DataDir: dir},
		Plugins:   plugins, db: db,
	}, func() { _ = db.Close() }, nil
}

func mustOpen(tb testing.TB, dir string, before func() error) *installer {
	tb.Helper()
	in, done, err := open(tb.Context(), dir, before)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(done)
	in.Log = logtest.New(tb)
	return in
}

func nothing() error { return nil }

// installed is the result of installing a plugin.
type installed struct {
	plugin.Installed

	Duplicate bool
}

func add(ctx context.Context, in *installer, data []byte) (installed, error) {
	up, err := in.Receive(extension.Plugin, bytes.NewReader(data))
	if err != nil {
		return installed{}, err
	}
	defer up.Close()
	res, err := in.Install(ctx, extension.Plugin, up)
	record, _ := res.Record.(plugin.Installed)
	return installed{Installed: record, Duplicate: res.Duplicate}, err
}

const manifest = `{"schemaVersion":1,"slug":"pay","name":"Pay","version":"1.0.0","runtimeType":"internal-fastify",` +
	`"entryModule":"index.js"}`

func payArchive(tb testing.TB) []byte {
	tb.Helper()
	return ziptest.Build(tb, ziptest.Entry{Name: "manifest.json", Body: manifest},
		ziptest.Entry{Name: "index.js", Body: "1"})
}

// files returns the names below dir/plugins and dir/tmp.
func files(tb testing.TB, dir string) []string {
	tb.Helper()
	var names []string
	for _, sub := range []string{"plugins", "tmp"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(dir, name)
				names = append(names, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			tb.Fatal(err)
		}
	}
	return names
}

// installUntilKilled is the child of the crash test: it stops where the files
// are in place and nothing is recorded, says so, and waits for its end.
func installUntilKilled(dir string) {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	in, _, err := open(context.Background(), dir, func() error {
		_, _ = os.Stdout.WriteString("in place\n")
		select {}
	})
	if err != nil {
		panic(err)
	}
	_, err = add(context.Background(), in, data)
	panic(err) // not reached
}

// A process that is killed between putting the files in place and recording them
// leaves nothing that can be seen: the package can be installed, and the files
// it left are swept once they are old.
func TestKilledBeforeTheRecordLeavesNothingToSee(t *testing.T) {
	t.Parallel()

	dir, data := t.TempDir(), payArchive(t)
	ctx, kill := context.WithTimeout(t.Context(), time.Minute)
	defer kill()
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir)
	child.Stdin, child.Stderr = bytes.NewReader(data), t.Output()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "in place\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()

	left := files(t, dir)
	if len(left) != 3 { // two files in place and the upload
		t.Fatalf("the child left %q; the test tests nothing", left)
	}
	in := mustOpen(t, dir, nothing)
	if _, total, err := in.Plugins.List(t.Context(), plugin.PackageQuery{Limit: 9}); total != 0 || err != nil {
		t.Errorf("%d packages are listed, %v; want none", total, err)
	}
	_, err = in.Plugins.ByKey(t.Context(), "pay", plugin.DefaultInstance)
	if errs.KindOf(err) != errs.NotFound {
		t.Errorf("ByKey = %v, want not found", err)
	}

	if err := in.Sweep(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(left, files(t, dir)); diff != "" {
		t.Errorf("swept what may be another process's work (-want +got):\n%s", diff)
	}
	res, err := add(t.Context(), in, data)
	if err != nil || res.Duplicate {
		t.Fatalf("install = duplicate %v, %v; want a new package", res.Duplicate, err)
	}
	if slices.Contains(left, res.Package.InstallPath+"/index.js") {
		t.Errorf("the new package took over %s from the dead process", res.Package.InstallPath)
	}
	// An hour later only what is recorded is left.
	if err := in.Sweep(t.Context(), time.Now().Add(install.LeftoverAge+time.Minute)); err != nil {
		t.Fatal(err)
	}
	place := res.Package.InstallPath
	want := []string{place + "/index.js", place + "/manifest.json", place + ".zip"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("after the sweep (-want +got):\n%s", diff)
	}
}

// Files of an uninstalled package stay (contract 4.7).
func TestSweepKeepsUninstalledPackages(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	if _, err := add(t.Context(), in, payArchive(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Plugins.Uninstall(t.Context(), "pay"); err != nil {
		t.Fatal(err)
	}
	want := files(t, dir)
	if err := in.Sweep(t.Context(), time.Now().Add(2*install.LeftoverAge)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" || len(want) != 3 {
		t.Errorf("files (-before +after the sweep):\n%s", diff)
	}
}

// A broken connection during the commit does not say whether the record was
// kept, so the files must stay; those of a refused record must not.
func TestFilesAfterAFailedRecord(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name string
		err  error
		want int // files left
	}{
		{"outcome unknown", errors.New("connection reset"), 3},
		{"slug taken", errs.New(errs.Conflict, "CONFLICT", "taken"), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			in := mustOpen(t, dir, func() error { return tt.err })
			if _, err := add(t.Context(), in, payArchive(t)); !errors.Is(err, tt.err) {
				t.Errorf("Install = %v, want %v", err, tt.err)
			}
			if left := files(t, dir); len(left) != tt.want {
				t.Errorf("left %q, want %d files", left, tt.want)
			}
			_, err := os.Stat(filepath.Join(dir, "plugins", "pay"))
			if errors.Is(err, os.ErrNotExist) != (tt.want == 0) {
				t.Errorf("the folder of the slug: %v", err)
			}
		})
	}
}

// An install and a purge of the same slug may come at the same time: the purge removes
// the folder of the slug, which the install needs.
func TestInstallWhileTheFolderOfTheSlugIsRemoved(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	done := make(chan struct{})
	var remover sync.WaitGroup
	remover.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				in.Discard(t.Context(), "plugins/pay/none")
			}
		}
	})
	for range 50 {
		if _, err := add(t.Context(), in, payArchive(t)); err != nil {
			t.Error(err)
		}
		paths, err := in.Plugins.Purge(t.Context(), "pay")
		if err != nil {
			t.Fatal(err)
		}
		in.Discard(t.Context(), paths...)
	}
	close(done)
	remover.Wait()
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// An archive that turns out bad while it is unpacked leaves nothing.
func TestFailedExtractLeavesNothing(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	data := ziptest.Build(t, ziptest.Entry{Name: "manifest.json", Body: manifest},
		ziptest.Entry{Name: "index.js", Body: "abc", Store: true})
	data[bytes.Index(data, []byte("abc"))] = 'x' // the checksum no longer fits
	_, err := add(t.Context(), in, data)
	e, is := errors.AsType[*errs.Error](err)
	if !is || e.Code != archive.CodeInvalid || e.Details["issues"].([]archive.Fault)[0].Entry != "index.js" {
		t.Errorf("Install = %v, want %s about index.js", err, archive.CodeInvalid)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

func TestReceive(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	zeros := func(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }
	tests := []struct {
		name string
		body io.Reader
		kind errs.Kind // "" means it is received
	}{
		{"empty", strings.NewReader(""), ""},
		{"as large as may be", zeros(plugin.MaxArchive), ""},
		{"one byte too large", zeros(plugin.MaxArchive + 1), errs.TooLarge},
		{"broken off", io.MultiReader(strings.NewReader("PK"), iotest.ErrReader(io.ErrUnexpectedEOF)), errs.Invalid},
	}
	for _, tt := range tests {
		up, err := in.Receive(extension.Plugin, tt.body)
		if errs.KindOf(err) != tt.kind {
			t.Errorf("%s: Receive = %v, want kind %q", tt.name, err, tt.kind)
		}
		if err == nil {
			if err := up.Close(); err != nil {
				t.Errorf("%s: Close = %v", tt.name, err)
			}
		}
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestCheckKind(t *testing.T) {
	t.Parallel()

	in := mustOpen(t, t.TempDir(), nothing)
	for kind, want := range map[extension.Kind]error{
		"plugin": nil, "theme-shop": extension.ErrUnsupported, "theme-admin": extension.ErrUnsupported,
		"theme-app-shop": extension.ErrUnsupported, "theme-app-admin": extension.ErrUnsupported,
		"bundle": extension.ErrUnsupported, "": extension.ErrKind, "Plugin": extension.ErrKind, "widget": extension.ErrKind,
	} {
		if err := in.CheckKind(kind); !errors.Is(err, want) {
			t.Errorf("CheckKind(%q) = %v, want %v", kind, err, want)
		}
		if want == nil {
			continue
		}
		if _, err := in.Receive(kind, strings.NewReader("")); !errors.Is(err, want) {
			t.Errorf("Receive(%q) = %v, want %v", kind, err, want)
		}
		if _, err := in.Install(t.Context(), kind, &install.Upload{}); !errors.Is(err, want) {
			t.Errorf("Install(%q) = %v, want %v", kind, err, want)
		}
	}
}

// A manifest's faults come out under their own code, and whether the entry module
// is there is judged by the paths within the package.
func TestInstallChecksTheManifest(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	_, err := add(t.Context(), in, ziptest.Build(t,
		ziptest.Entry{Name: "p/manifest.json", Body: manifest}, ziptest.Entry{Name: "p/p/index.js"}))
	e, is := errors.AsType[*errs.Error](err)
	if !is || e.Code != "INVALID_MANIFEST" ||
		!strings.Contains(e.Message, "entryModule names a file that is not in the package") {
		t.Errorf("Install = %v, want INVALID_MANIFEST about entryModule", err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}
