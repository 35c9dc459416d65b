package node

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/plugin"
)

// parentDir, in the environment, makes the test binary play stoa: it starts the
// plugin in that data folder, says the process's id, and waits to be killed.
const parentDir = "STOA_TEST_PLAY_PARENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentDir); dir != "" {
		playParent(dir)
	}
	os.Exit(m.Run())
}

func playParent(dir string) {
	rt := New(Config{Log: slog.New(slog.DiscardHandler), DataDir: dir, NodePath: os.Getenv("STOA_TEST_NODE")})
	in := plugin.Installed{
		Package: plugin.Package{
			InstallPath: "plugins/orphan/1.0.0-abcdef01",
			Manifest:    plugin.Manifest{Slug: "orphan", Version: "1.0.0", EntryModule: "index.js"},
		},
		Instance: plugin.Instance{ID: "id", Version: 1},
	}
	r := httptest.NewRequestWithContext(context.Background(), "GET", "/health", nil)
	if err := rt.Serve(httptest.NewRecorder(), r, in); err != nil {
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
	temp := t.TempDir()
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
	if err != nil || !alive(pid) {
		t.Fatalf("the helper says %q (%v)", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	gone(t, pid)

	// Its sockets and folder go with the next start of a stoa.
	left, err := filepath.Glob(filepath.Join(temp, folderPattern))
	if err != nil || len(left) != 1 {
		t.Fatalf("it left %v (%v)", left, err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(left[0], old, old); err != nil {
		t.Fatal(err)
	}
	sweep(temp)
	if _, err := os.Stat(left[0]); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", left[0], err)
	}
}
