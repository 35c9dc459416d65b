package archive_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/archive"
)

// A refusal names each file and the kind, says what an administrator can do, and has it in its
// details, apart from what nobody can allow.
func TestRefusedTypesSayWhatWouldAllowThem(t *testing.T) {
	t.Parallel()

	data := good(t, entry{Name: "server.mjs"}, entry{Name: "lib/b.MJS"}, entry{Name: "LICENSE"}, entry{Name: "odd name~"},
		entry{Name: "build/Release/canvas.node"}, entry{Name: "run.sh"})
	refuse := func(change func(p *archive.Profile)) *errs.Error {
		t.Helper()
		p := profile
		p.Kind = "plugin"
		change(&p)
		_, err := archive.Inspect(bytes.NewReader(data), int64(len(data)), p)
		e, is := errors.AsType[*errs.Error](err)
		if !is {
			t.Fatalf("got %v", err)
		}
		return e
	}
	e := refuse(func(*archive.Profile) {})
	said := make(map[string]string)
	for _, f := range e.Details["issues"].([]archive.Fault) {
		said[f.Entry] = f.Message
	}
	for entry, want := range map[string]string{
		"server.mjs": "not accepted in the kind plugin, only .js ", "lib/b.MJS": "the setting archiveTypes",
		"LICENSE": "the setting archiveTypes", "odd name~": "not accepted",
		"build/Release/canvas.node": "It is a native module: plugins run no compiled code", "run.sh": "can be executed",
	} {
		if !strings.Contains(said[entry], want) {
			t.Errorf("%s: %q, want %q", entry, said[entry], want)
		}
	}
	if diff := cmp.Diff(map[string][]string{"plugin": {".mjs", "license"}}, e.Details["archiveTypes"]); diff != "" {
		t.Error(diff)
	}

	fixed := refuse(func(p *archive.Profile) { p.Fixed = true })
	if fixed.Details["archiveTypes"] != nil || !strings.Contains(fixed.Message, "STOA_ARCHIVE_TYPES (plugin=…)") {
		t.Errorf("fixed by the operator: %v, %s", fixed.Details, fixed.Message)
	}
	for _, kind := range []string{".hta", ".PIF", ".vbe", ".jse", ".wsh", ".msc", ".cpl", ".ksh", ".fish", ".phar", ".phtml", ".cgi"} {
		if _, err := archive.CheckType(kind); !errors.Is(err, archive.ErrExecutable) {
			t.Errorf("%s can be allowed: %v", kind, err)
		}
	}
	p := profile
	p.Installed = true
	if _, err := archive.Inspect(bytes.NewReader(data), int64(len(data)), p); err != nil {
		t.Errorf("what was installed: %v", err)
	}
}
