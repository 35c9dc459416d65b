package review

import "math"

// Tally is what a product's rating is computed from: the rating that the catalog states
// for it, and the reviews in this shop that are not hidden. It consists of whole sums,
// so that the result does not depend on the order of changes.
type Tally struct {
	RatingBase float64 // from the catalog
	ReviewBase int     // from the catalog
	Stars      int     // sum of the ratings in this shop
	Reviews    int     // number of the ratings in this shop
}

// Rating returns the average to show, from 0 to 5. Without reviews it is exactly
// RatingBase. Otherwise it is the average of all ratings, rounded to hundredths. A
// RatingBase of 0 means that the catalog states no rating, since the worst is one star;
// then ReviewBase does not count.
func (t Tally) Rating() float64 {
	if t.Reviews == 0 {
		return t.RatingBase
	}
	// In whole thousandths: floating point could differ between machines.
	base, weight := int64(math.Round(t.RatingBase*1000)), int64(t.ReviewBase)
	if base == 0 {
		weight = 0
	}
	thousandths, count := base*weight+1000*int64(t.Stars), weight+int64(t.Reviews)
	return float64((thousandths+5*count)/(10*count)) / 100
}

// ReviewCount returns the number of reviews to show.
func (t Tally) ReviewCount() int { return t.ReviewBase + t.Reviews }

// replace returns the tally after old was replaced by next. Either may be the zero
// Review, for a review that is added or deleted.
func (t Tally) replace(old, next Review) Tally {
	if old.counts() {
		t.Stars, t.Reviews = t.Stars-old.Rating, t.Reviews-1
	}
	if next.counts() {
		t.Stars, t.Reviews = t.Stars+next.Rating, t.Reviews+1
	}
	return t
}
