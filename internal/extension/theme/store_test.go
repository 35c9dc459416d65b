package theme

import (
	"context"
	"testing"
)

type countingStore struct {
	Store
	reads int
}

func (c *countingStore) Versions(context.Context, Target, string) ([]Version, error) {
	c.reads++
	return []Version{{ID: "v"}}, nil
}

func TestAChangeReadsTheVersionsOfAThemeOnce(t *testing.T) {
	t.Parallel()

	db := new(countingStore)
	once := readOnce(db)
	for _, of := range []struct {
		target Target
		slug   string
	}{{Shop, "a"}, {Shop, "a"}, {Shop, "b"}, {Admin, "a"}, {Shop, "a"}} {
		if got, err := once.Versions(t.Context(), of.target, of.slug); err != nil || len(got) != 1 {
			t.Errorf("%v: %v %v", of, got, err)
		}
	}
	if db.reads != 3 {
		t.Errorf("%d reads of 3 themes", db.reads)
	}
}
