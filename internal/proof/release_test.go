package proof

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// previousRelease returns the path of the previous release of stoa, whose replicas are
// rolled to this one, or "" unless STOA_PROOF_PREVIOUS asks for it: it is the path of a stoa,
// or "build" for the commit in testdata/previous-release, which is built from this clone's
// history (a minute, once).
func previousRelease(t *testing.T) string {
	t.Helper()
	switch from := os.Getenv("STOA_PROOF_PREVIOUS"); from {
	case "":
		return ""
	case "build":
		return buildPrevious(t)
	default:
		return from
	}
}

func buildPrevious(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/previous-release")
	if err != nil {
		t.Fatal(err)
	}
	commit := strings.TrimSpace(string(text))
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "stoa-proof", commit)
	program := filepath.Join(dir, "stoa")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The Node program is bundled by the tools of this tree: npm is not asked.
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", `
		rm -rf "$DIR"; mkdir -p "$DIR/src"
		git -C "$ROOT" archive "$COMMIT" | tar x -C "$DIR/src"
		cd "$DIR/src"
		ln -s "$ROOT/nodehost/node_modules" nodehost/node_modules
		go run ./nodehost/bundle
		CGO_ENABLED=0 go build -trimpath -o ../stoa.new ./cmd/stoa
		mv ../stoa.new ../stoa; cd ..; rm -rf src`)
	cmd.Env = append(os.Environ(), "DIR="+dir, "ROOT="+root, "COMMIT="+commit)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the previous release %s does not build (is the clone shallow?): %v\n%s", commit, err, out)
	}
	return program
}
