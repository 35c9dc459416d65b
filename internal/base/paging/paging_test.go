package paging_test

import (
	"errors"
	"math"
	"slices"
	"testing"

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
