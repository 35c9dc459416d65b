package paging_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"stoa/internal/base/paging"
)

func TestOffsetsNeverOverflow(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ page, limit, want int }{
		{1, 20, 0},
		{2, 20, 20},
		{3, 1, 2},
		{0, 20, 0},
		{math.MinInt, 20, 0},
		{2, 0, 1},
		{paging.Farthest + 1, 1, paging.Farthest},
		{paging.Farthest + 2, 1, paging.Farthest},
		{paging.Farthest/100 + 1, 100, paging.Farthest / 100 * 100},
		{paging.Farthest/100 + 2, 100, paging.Farthest},
		{math.MaxInt, 1, paging.Farthest},
		{math.MaxInt, math.MaxInt, paging.Farthest},
	} {
		if got := paging.Offset(tt.page, tt.limit); got != tt.want {
			t.Errorf("Offset(%d, %d) = %d, want %d", tt.page, tt.limit, got, tt.want)
		}
	}
}

func TestCutTakesWhatThereIs(t *testing.T) {
	t.Parallel()

	list := []int{1, 2, 3, 4, 5}
	for _, tt := range []struct {
		limit, offset int
		want          []int
	}{
		{2, 0, []int{1, 2}},
		{2, 4, []int{5}},
		{2, 5, nil},
		{2, 6, nil},
		{0, 1, nil},
		{-1, -1, nil},
		{2, math.MinInt, []int{1, 2}},
		{math.MaxInt, 3, []int{4, 5}},
		{math.MaxInt, math.MaxInt, nil},
	} {
		if got := paging.Cut(list, tt.limit, tt.offset); !slices.Equal(got, tt.want) {
			t.Errorf("Cut(%d, %d) = %v, want %v", tt.limit, tt.offset, got, tt.want)
		}
	}
}

func TestAllReadsEveryPageOnce(t *testing.T) {
	t.Parallel()

	list, broken := []int{1, 2, 3, 4, 5}, errors.New("broken")
	var read []int
	page := func(offset int) ([]int, int, error) {
		read = append(read, offset)
		return paging.Cut(list, 2, offset), len(list), nil
	}
	var got []int
	for one, err := range paging.All(page) {
		if got = append(got, one); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, list) || !slices.Equal(read, []int{0, 2, 4}) {
		t.Errorf("got %v by reading at %v", got, read)
	}
	for range paging.All(page) { // and no page more than is wanted
		break
	}
	if len(read) != 4 {
		t.Errorf("read at %v", read)
	}
	for range paging.All(func(int) ([]int, int, error) { return nil, 9, nil }) {
		t.Error("an entry of an empty page")
	}
	for _, err := range paging.All(func(int) ([]int, int, error) { return nil, 0, broken }) {
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	}
}

// All entries come once, also those of the same time, and each page begins after the one before.
func TestThroughReadsEveryEntryOnce(t *testing.T) {
	t.Parallel()

	at := time.Unix(1, 0)
	list := []paging.Mark{{at, "a"}, {at, "b"}, {at, "c"}, {at.Add(-time.Second), "d"}, {at.Add(-time.Second), "e"}}
	own := func(m paging.Mark) paging.Mark { return m }
	for _, size := range []int{1, 2, 5, 9} {
		read := func(after paging.Mark) ([]paging.Mark, error) {
			return paging.Cut(list, size, slices.Index(list, after)+1), nil
		}
		var got []paging.Mark
		for one, err := range paging.Through(read, own) {
			if got = append(got, one); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, list) {
			t.Errorf("pages of %d: %v, want %v", size, got, list)
		}
		for range paging.Through(read, own) {
			break // the reader may stop
		}
	}
	broken := errors.New("broken")
	var ended error
	for _, err := range paging.Through(func(paging.Mark) ([]paging.Mark, error) { return nil, broken }, own) {
		ended = err
	}
	if !errors.Is(ended, broken) {
		t.Errorf("ended with %v, want the error", ended)
	}
}
