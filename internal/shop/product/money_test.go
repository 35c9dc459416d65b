package product_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"stoa/internal/shop/product"

	"pgregory.net/rapid"
)

func TestMoneyIsReadAndWrittenExactly(t *testing.T) {
	t.Parallel()

	tests := []struct {
		amount, currency string
		minor            int64
		json             string
	}{
		{"0", "EUR", 0, "0"},
		{"29.90", "EUR", 2990, "29.9"},
		{"29.9000", "EUR", 2990, "29.9"},
		{"0.01", "USD", 1, "0.01"},
		{"0.07", "USD", 7, "0.07"},
		{"1500", "JPY", 1500, "1500"},
		{"1500.0", "JPY", 1500, "1500"},
		{"1.005", "KWD", 1005, "1.005"},
		{"0.0001", "CLF", 1, "0.0001"},
		{"10000000000", "EUR", 1_000_000_000_000, "10000000000"},
		{"90071992547.40993", "CLF", 0, ""}, // too precise, and a float64 would not notice
		{"10000000000.01", "EUR", 0, ""},
		{"99999999999999999999", "EUR", 0, ""},
		{"0.001", "EUR", 0, ""},
		{"0.5", "JPY", 0, ""},
		{"-1", "EUR", 0, ""},
		{"+1", "EUR", 0, ""},
		{"1e2", "EUR", 0, ""},
		{"1.", "EUR", 0, ""},
		{".5", "EUR", 0, ""},
		{"0x10", "EUR", 0, ""},
		{"", "EUR", 0, ""},
		{"1", "eur", 0, ""},
		{"1", "EU", 0, ""},
		{"1", "UR ", 0, ""},
		{"1", "", 0, ""},
		{"1", "XXX", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.amount+" "+tt.currency, func(t *testing.T) {
			t.Parallel()

			m, err := product.ParseMoney(tt.amount, tt.currency)
			if (err != nil) != (tt.json == "") {
				t.Fatalf("ParseMoney = %v, %v", m, err)
			}
			if err == nil && (m.Minor != tt.minor || m.Amount().String() != tt.json) {
				t.Errorf("ParseMoney = %d, written %s; want %d, %s", m.Minor, m.Amount(), tt.minor, tt.json)
			}
		})
	}
}

func TestMoneyIsNeverRounded(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		m := product.Money{
			Minor:    rapid.Int64Range(0, 1_000_000_000_000).Draw(t, "minor"),
			Currency: rapid.SampledFrom([]string{"JPY", "EUR", "KWD", "CLF"}).Draw(t, "currency"),
		}
		text, err := json.Marshal(m.Amount())
		if err != nil {
			t.Fatalf("not a JSON number: %v", err)
		}
		if back, err := product.ParseMoney(string(text), m.Currency); err != nil || back != m {
			t.Fatalf("%v is written %s and read %v (%v)", m, text, back, err)
		}
		// Rank is ten thousand times the amount.
		exact, _ := new(big.Rat).SetString(string(text))
		if exact.Mul(exact, big.NewRat(10_000, 1)).Cmp(big.NewRat(m.Rank(), 1)) != 0 {
			t.Fatalf("Rank of %s %s = %d", text, m.Currency, m.Rank())
		}
	})
}

func TestMoneyForPeople(t *testing.T) {
	t.Parallel()

	for want, m := range map[string]product.Money{
		"49.90 EUR": {Minor: 4990, Currency: "EUR"}, "0.05 EUR": {Minor: 5, Currency: "EUR"},
		"1500 JPY":  {Minor: 1500, Currency: "JPY"},
		"0.005 KWD": {Minor: 5, Currency: "KWD"}, "0 JPY": {Currency: "JPY"},
		"1000000.00 USD": {Minor: 100_000_000, Currency: "USD"},
	} {
		if got := m.String(); got != want {
			t.Errorf("%+v = %q, want %q", [2]any{m.Minor, m.Currency}, got, want)
		}
	}
}
