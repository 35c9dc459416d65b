package deploy

import (
	"net/http"
	"os/exec"
	"testing"

	"stoa/internal/testkit/needtest"
)

// The binary for arm64 serves, as far as an emulated processor on this system's kernel tells.
// Internal plugins are left out: they need a Node.js for arm64.
func TestTheBinaryForArm64Serves(t *testing.T) {
	t.Parallel()
	heavy(t)

	emulator := needtest.Program(t, "qemu-aarch64-static", "Debian: apt-get install qemu-user-static")
	path, err := build(t.TempDir(), "arm64")
	if err != nil {
		t.Fatal(err)
	}
	s := serveBy(t, exec.Command(emulator, path))
	s.do(t, http.StatusOK, http.MethodGet, "/livez", "", nil, "")
	s.do(t, http.StatusOK, http.MethodGet, "/api/v1/admin/system", s.admin(t), nil, "")
}
