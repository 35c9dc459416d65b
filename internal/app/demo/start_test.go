package demo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/app/demo"
)

// A start that was interrupted is completed with the times and ids that it began with.
func TestTheSalesOfADemoBeginOnce(t *testing.T) {
	t.Parallel()

	file := filepath.Join(t.TempDir(), "sales-begun")
	now := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	first, err := demo.StartOfSales(file, now)
	if err != nil || !first.At.Equal(now) || len(first.Seed) < 20 {
		t.Errorf("first = %+v, %v", first, err)
	}
	if again, err := demo.StartOfSales(file, now.Add(time.Hour)); err != nil || again != first {
		t.Errorf("again = %+v, %v; want %+v", again, err, first)
	}
	if other, err := demo.StartOfSales(file+"-other", now); err != nil || other.Seed == first.Seed {
		t.Errorf("two demos have the same ids: %+v, %v", other, err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := demo.StartOfSales(file, now); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("a broken file: %v, want what to do", err)
	}
}
