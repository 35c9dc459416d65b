package review

import "math"

// Tally is what the rating of a product is made of: what the catalogue says it
// had before it came here, and the reviews that were written here and are not
// hidden. It is kept as whole sums, so that it is exact whatever the order in
// which reviews come, change and go.
type Tally struct {
	RatingBase float64
	ReviewBase int
	Stars      int // of all Store together
	Reviews    int
}

// Rating returns the average to show, from 0 to 5. Without reviews it is
// RatingBase as it is; with some, everything counts by its number and the result
// is rounded to hundredths. A RatingBase of 0 is none, and counts for nothing:
// nobody can give less than one star.
func (t Tally) Rating() float64 {
	if t.Reviews == 0 {
		return t.RatingBase
	}
	// In whole thousandths, so that both engines and all machines show the same.
	base, weight := int64(math.Round(t.RatingBase*1000)), int64(t.ReviewBase)
	if base == 0 {
		weight = 0
	}
	thousandths, count := base*weight+1000*int64(t.Stars), weight+int64(t.Reviews)
	return float64((thousandths+5*count)/(10*count)) / 100
}

// ReviewCount returns how many reviews to show: those before and those here.
func (t Tally) ReviewCount() int { return t.ReviewBase + t.Reviews }

// replace returns the tally after one state of a review took the place of
// another. The zero Review is none.
func (t Tally) replace(old, next Review) Tally {
	if old.counts() {
		t.Stars, t.Reviews = t.Stars-old.Rating, t.Reviews-1
	}
	if next.counts() {
		t.Stars, t.Reviews = t.Stars+next.Rating, t.Reviews+1
	}
	return t
}
