package origin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/testkit/needtest"
)

// mostAdded is what the library for TUF may add to a binary, in bytes (ADR 0041).
const mostAdded = 3 << 20

// Two small programs that have what stoa has anyway: net/http and protobuf. One of them uses the library as well.
const (
	withoutTUF = `package main

import (
	"net/http"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func main() {
	b, _ := proto.Marshal(timestamppb.Now())
	_ = http.ListenAndServe(string(b), nil)
%s}
`
	useOfTUF = `	root := metadata.Root()
	signer, _ := signature.LoadSigner(nil, 0)
	_, _ = root.Sign(signer)
	set, _ := trustedmetadata.New(b)
	_, _ = set.UpdateRoot(b)
	_, _ = set.UpdateTimestamp(b)
	_, _ = set.UpdateSnapshot(b, false)
	_, _ = set.UpdateDelegatedTargets(b, "a", "b")
	_, _ = metadata.Targets().ToBytes(false)
`
	importOfTUF = `import (
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

func main`
)

func TestTheLibraryForTUFStaysSmall(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it builds two programs")

	size := func(name, source string) int64 {
		dir := t.TempDir()
		file, program := filepath.Join(dir, "main.go"), filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, file)
		build.Dir, build.Env = "../../..", append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	without := size("without", fmt.Sprintf(withoutTUF, ""))
	with := size("with", strings.Replace(fmt.Sprintf(withoutTUF, useOfTUF), "func main", importOfTUF, 1))
	t.Logf("the library adds %.2f MB", float64(with-without)/1e6)
	if with-without > mostAdded {
		t.Errorf("the library adds %d bytes, more than %d", with-without, mostAdded)
	}
}
