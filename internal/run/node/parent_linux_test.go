package node

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/tempfolder"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
	"stoa/internal/testkit/proctest"
)

// parentDir, in the environment, makes the test binary play stoa: it starts the
// plugin in that data folder, says the process's id, and waits to be killed.
const parentDir = "STOA_TEST_PLAY_PARENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentDir); dir != "" {
		playParent(dir)
	}
	code := m.Run()
	machines.close()
	os.Exit(code)
}

func playParent(dir string) {
	log := slog.New(slog.DiscardHandler)
	children := child.New(child.Config{Log: log, NodePath: os.Getenv("STOA_TEST_NODE"), ProbeTimeout: long})
	rt := New(Config{
		Log: log, Children: children, DataDir: dir,
		Stall: time.Minute, StartTimeout: long, StartWait: long, FirstByte: long,
	})
	in := plugin.Installed{
		Package: plugin.Package{
			InstallPath: "plugins/orphan/1.0.0-abcdef01",
			Manifest:    plugin.Manifest{Slug: "orphan", Version: "1.0.0", EntryModule: "index.js"},
		},
		Instance: plugin.Instance{ID: "id", Version: 1},
	}
	r := httptest.NewRequestWithContext(context.Background(), "GET", "/health", nil)
	if err := rt.Serve(httptest.NewRecorder(), r, &in); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(rt.Status("id").PID)
	select {}
}

func TestPluginsDieWithStoaEvenWhenItIsKilled(t *testing.T) {
	t.Parallel()
	f := newFixture(t) // only for its folder
	// A plugin that never ends by itself.
	f.install(t, "orphan", withRoutes("setInterval(() => {}, 1000); process.on('SIGTERM', () => {})"))
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	temp, err := os.MkdirTemp("", "died-") //nolint:usetesting // short: a socket's path has 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	cmd.Env = append(os.Environ(), parentDir+"="+f.dir, "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !proctest.Alive(pid) {
		t.Fatalf("the helper says %q (%v)", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	proctest.Gone(t, pid)

	// Of its socket no file was left even before. Its folder goes with the next start
	// of a stoa, however soon that comes, and that one says so.
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("it left %v (%v)", left, err)
	}
	for path := range walk(t, left[0]) {
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			t.Errorf("a socket is left: %s", path)
		}
	}
	if n := tempfolder.Sweep(temp, "stoa-node"); n != 1 {
		t.Errorf("%d folders were swept, want 1", n)
	}
	if _, err := os.Stat(left[0]); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", left[0], err)
	}
}

// walk returns all files below dir.
func walk(tb testing.TB, dir string) iter.Seq[string] {
	tb.Helper()
	return func(yield func(string) bool) {
		_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil || !yield(path) {
				return filepath.SkipAll
			}
			return nil
		})
	}
}
