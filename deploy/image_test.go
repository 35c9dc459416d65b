package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	plugins "stoa/examples/plugins"
	"stoa/internal/testkit/needtest"
)

// tryImage is what a test does to a running container of the image, whose name is $1.
const tryImage = `
answer=$(nsenter -t "$(podman inspect -f '{{.State.Pid}}' "$1")" -n \
  curl -sS http://127.0.0.1:8080/api/v1/shop/plugins/gift-notes/api/occasions)
echo "plugin: $answer"
echo "health: $(podman exec "$1" /usr/bin/stoa healthcheck)"
echo "root: $(podman exec "$1" /usr/bin/node -e 'try { fs.writeFileSync("/x", "") } catch (e) { console.log(e.code, process.getuid()) }')"
podman stop -t 60 "$1" >/dev/null
echo "exit: $(podman inspect -f '{{.State.ExitCode}}' "$1")"
podman logs "$1" 2>&1 | grep -E 'isolation=|level=ERROR'
`

// The image serves as a user without rights, on a file system that is read-only but for the data
// and /tmp, without capabilities, and runs plugins fully contained.
func TestTheImageRunsPluginsReadOnlyAndWithoutRights(t *testing.T) {
	t.Parallel()
	heavy(t)
	needtest.Program(t, "podman", "run scripts/deploy-deps")
	needtest.Program(t, "runc", "run scripts/deploy-deps")
	if os.Getuid() != 0 {
		t.Skip("the test looks into the container's network, which takes root")
	}

	image, name := buildImage(t), "stoa-test-"+strconv.Itoa(os.Getpid())
	archive, err := plugins.Archive("gift-notes", nil)
	if err != nil {
		t.Fatal(err)
	}
	builtin := t.TempDir()
	if err := os.WriteFile(filepath.Join(builtin, "gift-notes.zip"), archive, 0o644); err != nil {
		t.Fatal(err)
	}
	seccomp, err := filepath.Abs("image/seccomp.json")
	if err != nil {
		t.Fatal(err)
	}
	// Without a health check of Podman's own, which needs systemd.
	podman(t, "--runtime=runc", "run", "--detach", "--name", name, "--read-only", "--tmpfs=/tmp:mode=1777",
		"--cap-drop=all", "--security-opt=no-new-privileges", "--security-opt=seccomp="+seccomp, "--network=none",
		"--no-healthcheck", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096", "--volume", builtin+":/builtin:ro",
		"--env=STOA_BUILTIN_DIR=/builtin", "--env=STOA_PUBLIC_URL=https://shop.example.com",
		"--env=STOA_PAYMENTS=test", "--env=STOA_LOG_FORMAT=text", image)
	t.Cleanup(func() { _ = exec.Command("podman", "rm", "--force", "--volumes", name).Run() })
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if exec.Command("podman", "exec", name, "/usr/bin/stoa", "healthcheck").Run() == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("stoa does not get ready:\n%s", podman(t, "logs", name))
		}
	}
	out, err := exec.Command("bash", "-c", tryImage, "try", name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, podman(t, "logs", name))
	}
	for _, want := range []string{`"birthday"`, "health: ready", "root: EROFS 65532", "exit: 0", "isolation=full"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// buildImage builds the image of a new binary, and checks what the image says of itself.
func buildImage(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(path, filepath.Join(dir, "stoa_0.0.0-test_linux_"+runtime.GOARCH)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../scripts/image", dir)
	cmd.Env = append(os.Environ(), "STOA_VERSION=0.0.0-test")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("scripts/image: %v\n%s", err, out)
	}
	image := "localhost/stoa:0.0.0-test-" + runtime.GOARCH
	t.Cleanup(func() { _ = exec.Command("podman", "rmi", "--force", image).Run() })
	var told []struct {
		Architecture string
		Size         int64
		User         string
		Labels       map[string]string
		Healthcheck  struct{ Test []string }
	}
	if err := json.Unmarshal(podman(t, "image", "inspect", image), &told); err != nil || len(told) != 1 {
		t.Fatalf("podman image inspect: %v", err)
	}
	img := told[0]
	if img.User != "65532:65532" || img.Architecture != runtime.GOARCH || len(img.Healthcheck.Test) != 3 ||
		img.Labels["org.opencontainers.image.version"] != "0.0.0-test" {
		t.Errorf("the image says %+v", img)
	}
	if img.Size > 220<<20 {
		t.Errorf("the image has %d MiB, want at most 220", img.Size>>20)
	}
	return image
}

// podman runs podman and returns what it prints.
func podman(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := exec.Command("podman", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("podman %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}
