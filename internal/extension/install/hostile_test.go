package install_test

import (
	"testing"

	"stoa/internal/extension/archive"
	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/ziptest"
)

// Hostile archives leave neither files nor records.
func TestHostileArchivesLeaveNothing(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	for _, h := range ziptest.HostileArchives() {
		_, err := add(t.Context(), in, h.Build(t))
		if list, ok := archive.Faults(err); !ok || list[0].Code != h.Code {
			t.Errorf("%s: Install = %v, want %s with code %s", h.Name, err, archive.CodeInvalid, h.Code)
		}
		if left := files(t, dir); len(left) > 0 {
			t.Fatalf("%s: left %q", h.Name, left)
		}
	}
	if _, total, err := in.Plugins.List(t.Context(), plugin.PackageQuery{Limit: 9}); total != 0 || err != nil {
		t.Errorf("%d packages are listed, %v; want none", total, err)
	}
}
