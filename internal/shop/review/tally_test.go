package review_test

import (
	"math"
	"math/big"
	"testing"

	"stoa/internal/shop/review"

	"pgregory.net/rapid"
)

func TestRatingToShow(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name  string
		tally review.Tally
		want  float64
		count int
	}{
		{"nothing", review.Tally{}, 0, 0},
		{"the catalog's rating alone, unchanged", review.Tally{RatingBase: 4.5678, ReviewBase: 12}, 4.5678, 12},
		{"the catalog's rating without a count", review.Tally{RatingBase: 4.5}, 4.5, 0},
		{"reviews alone", review.Tally{Stars: 9, Reviews: 2}, 4.5, 2},
		{"to hundredths", review.Tally{Stars: 14, Reviews: 3}, 4.67, 3},
		{"half a hundredth goes up", review.Tally{Stars: 37, Reviews: 8}, 4.63, 8},
		{"weighted by their numbers", review.Tally{RatingBase: 4.5, ReviewBase: 12, Stars: 5, Reviews: 1}, 4.54, 13},
		{"a base without a count counts for nothing", review.Tally{RatingBase: 1, Stars: 5, Reviews: 1}, 5, 1},
		{"a base of no rating counts for nothing", review.Tally{ReviewBase: 100, Stars: 5, Reviews: 1}, 5, 101},
		{
			"as large as can be",
			review.Tally{RatingBase: 5, ReviewBase: 1_000_000_000, Stars: 5_000_000_000, Reviews: 1_000_000_000},
			5,
			2_000_000_000,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got, count := tt.tally.Rating(), tt.tally.ReviewCount(); got != tt.want || count != tt.count {
				t.Errorf("%+v shows %v of %d, want %v of %d", tt.tally, got, count, tt.want, tt.count)
			}
		})
	}
}

// average computes Tally.Rating with fractions.
func average(base float64, baseCount int, stars []int) float64 {
	if len(stars) == 0 {
		return base
	}
	if base == 0 {
		baseCount = 0
	}
	sum := new(big.Rat).Mul(big.NewRat(int64(math.Round(base*1000)), 1000), big.NewRat(int64(baseCount), 1))
	for _, s := range stars {
		sum.Add(sum, big.NewRat(int64(s), 1))
	}
	sum.Quo(sum, big.NewRat(int64(baseCount+len(stars)), 1))
	text := sum.FloatString(2) // halves away from zero
	rounded, _ := new(big.Rat).SetString(text)
	f, _ := rounded.Float64()
	return f
}

func TestRatingIsTheRoundedAverage(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		base := float64(rapid.IntRange(0, 5000).Draw(t, "base")) / 1000
		count := rapid.IntRange(0, 1000).Draw(t, "count")
		stars := rapid.SliceOfN(rapid.IntRange(1, 5), 0, 50).Draw(t, "stars")
		tally := review.Tally{RatingBase: base, ReviewBase: count, Reviews: len(stars)}
		for _, s := range stars {
			tally.Stars += s
		}
		if got, want := tally.Rating(), average(base, count, stars); got != want {
			t.Errorf("Rating of %v × %d and %v = %v, want %v", base, count, stars, got, want)
		}
	})
}
