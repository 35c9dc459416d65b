package wording_test

import (
	"testing"
	"time"

	"stoa/internal/html/wording"
)

// Amounts are written as browsers write them, so that a price does not change on the way from a product's
// page to the checkout.
func TestNumbersAreWrittenAsBrowsersDo(t *testing.T) {
	t.Parallel()

	built, err := wording.Built()
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string][9]string{
		"en": {"€12,345.50", "€1,234", "$0.05", "CHF\u00a01", "1,234", "12,345", "4.5", "Feb 2, 2026", "Feb 2, 2026 at 03:04 UTC"},
		"de": {"12.345,50\u00a0€", "1.234\u00a0€", "0,05\u00a0$", "1\u00a0CHF", "1.234", "12.345", "4,5", "02.02.2026", "02.02.2026 um 03:04 UTC"},
		"fr": {"12\u202f345,50\u00a0€", "1\u202f234\u00a0€", "0,05\u00a0$US", "1\u00a0CHF", "1\u202f234", "12\u202f345", "4,5", "2 févr. 2026", "2 févr. 2026 à 03:04 UTC"},
		"es": {"12.345,50\u00a0€", "1234\u00a0€", "0,05\u00a0US$", "1\u00a0CHF", "1234", "12.345", "4,5", "2 feb 2026", "2 feb 2026 a las 03:04 UTC"},
		"pt": {"€\u00a012.345,50", "€\u00a01.234", "US$\u00a00,05", "CHF\u00a01", "1.234", "12.345", "4,5", "2 de fev. de 2026", "2 de fev. de 2026 às 03:04 UTC"},
		"ja": {"€12,345.50", "€1,234", "$0.05", "CHF\u00a01", "1,234", "12,345", "4.5", "2026/02/02", "2026/02/02 03:04 UTC"},
	} {
		w := built.Words[tag]
		got := [9]string{
			w.Money("12345", "50", "EUR"), w.Money("1234", "00", "EUR"), w.Money("0", "05", "USD"), w.Money("1", "00", "CHF"),
			w.Number(1234), w.Number(12345), w.Decimal(4.5, 1), w.Day(time.Date(2026, 2, 2, 3, 4, 5, 0, time.UTC)),
			w.Moment(time.Date(2026, 2, 2, 4, 4, 5, 0, time.FixedZone("", 3600))),
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}

// Each language has forms of its own for numbers.
func TestPluralsAreThoseOfTheLanguage(t *testing.T) {
	t.Parallel()

	built, err := wording.Built()
	if err != nil {
		t.Fatal(err)
	}
	for tag, numbers := range map[string][2]int{"en": {1, 2}, "de": {1, 0}, "fr": {0, 2}, "pt": {1, 2}} {
		one, err := built.Words[tag].Count("shop.catalog.found", numbers[0])
		other, wrong := built.Words[tag].Count("shop.catalog.found", numbers[1])
		if err != nil || wrong != nil || one[2:] == other[2:] {
			t.Errorf("%s: %q and %q, %v %v", tag, one, other, err, wrong)
		}
	}
}
