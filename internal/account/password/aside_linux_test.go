package password

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The priority of a process is that of each of its threads.
func TestHashesHaveALowerPriority(t *testing.T) {
	t.Parallel()

	a := newAside(t)
	for i := range 4 {
		a.wantHash(t, fmt.Sprint(i))
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", a.running().cmd.Process.Pid))
	if err != nil || len(threads) < 2 {
		t.Fatalf("%v, %v", threads, err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if os.IsNotExist(err) {
			continue // it ended
		}
		_, rest, ok := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); err != nil || !ok || fields[16] != fmt.Sprint(asideNice) {
			t.Errorf("%s: %s %v", thread, text, err)
		}
	}
}
