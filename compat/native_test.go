package compat_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// TestNativeModulesSayThatTheyCannotRun: what loads compiled code complains of files that are
// missing, and no file would help.
func TestNativeModulesSayThatTheyCannotRun(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h *host) {
		addon := files{"build/Release/canvas.node": "\x7fELF"}
		for i, tt := range []struct {
			plugin string
			beside files
			said   string
			named  string
		}{
			{"bindings", nil, "Could not find module root given file", ""},
			{"bindings-root", nil, "Could not locate the bindings file", "(better_sqlite3.node)"},
			{"bcrypt", nil, "", "(bcrypt)"}, // what it says depends on the version of Node.js,
			{"file", nil, "Cannot find module './build/Release/canvas.node'", "(canvas.node)"},
			{"file", addon, "process.dlopen (canvas.node) is not available to plugins", "(canvas.node)"},
			{"napi", nil, "Cannot find native binding", "(@node-rs/argon2-linux-x64-gnu)"},
		} {
			content := maps.Clone(bundled(t, "native/"+tt.plugin+".js"))
			maps.Copy(content, tt.beside)
			in := h.place(t, fmt.Sprintf("native-%d", i), content, "")
			err := h.Prepare(t.Context(), in)
			if err == nil || !strings.Contains(err.Error(), tt.said) {
				t.Fatalf("%s: got %v, want %q", tt.plugin, err, tt.said)
			}
			got := h.Status(in.Instance.ID).Failure.Message
			if !strings.Contains(got, "native module") || !strings.Contains(got, tt.named) ||
				!strings.Contains(got, "plugins run no compiled code") {
				t.Errorf("%s: an administrator sees %q", tt.plugin, got)
			}
		}
	})
}
