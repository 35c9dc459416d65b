package system_test

import (
	"path/filepath"
	"testing"

	"stoa/internal/operate/system"
)

func TestADiskWithLittleRoom(t *testing.T) {
	t.Parallel()
	const mib, gib = 1 << 20, 1 << 30
	for _, tt := range []struct {
		free, size uint64
		low        bool
		percent    int
	}{
		{500 * mib, 5000 * mib, false, 10},
		{500*mib - 1, 5000 * mib, true, 9},
		{500 * mib, 5000*mib + 11, true, 9},
		{100 * gib, 1000 * gib, false, 10},
		{99 * gib, 1000 * gib, true, 9},
		{400 * mib, 400 * mib, true, 100},
		{0, 0, true, 0},
	} {
		s := system.Space{Free: tt.free, Size: tt.size}
		if s.Low() != tt.low || s.Percent() != tt.percent {
			t.Errorf("%d of %d: low %t, %d %%; want %t, %d %%", tt.free, tt.size, s.Low(), s.Percent(), tt.low, tt.percent)
		}
	}
}

func TestTheRoomOfEachPlaceIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := system.Spaces(map[string]string{
		system.PlaceTemp: dir, system.PlaceFiles: dir, system.PlaceDatabase: filepath.Join(dir, "missing"),
	})
	if len(got) != 2 || got[0].Place != system.PlaceFiles || got[1].Place != system.PlaceTemp ||
		got[0].Disk != got[1].Disk || got[0].Size == 0 || got[0].Free > got[0].Size {
		t.Errorf("%+v", got)
	}
}
