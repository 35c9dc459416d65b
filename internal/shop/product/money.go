package product

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in the minor unit of its currency: cents for EUR, fils for KWD,
// yen for JPY. The zero value means that there is no price.
type Money struct {
	Minor    int64
	Currency string // ISO 4217, upper case
}

// maxMinor bounds amounts so that arithmetic on them cannot overflow: ten billion in a
// currency with two decimals.
const maxMinor = 1_000_000_000_000

// exponents are the decimals of the ISO 4217 currencies that do not have two.
var exponents = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0,
	"UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
	"CLF": 4, "UYW": 4,
}

// twoDecimals are the ISO 4217 currencies with two decimals.
const twoDecimals = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD " +
	"CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD " +
	"GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD " +
	"MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD " +
	"RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD " +
	"USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG"

// Exponent returns the number of decimals of a currency, and false if ISO 4217 does
// not have the code.
func Exponent(currency string) (int, bool) {
	if e, ok := exponents[currency]; ok {
		return e, true
	}
	// A match of three letters after a space is a whole code.
	return 2, len(currency) == 3 && !strings.Contains(currency, " ") && strings.Contains(" "+twoDecimals, " "+currency)
}

// ParseMoney reads an amount such as "29.9". It never rounds: more decimals than the
// currency has are an error. So are negative amounts and exponents ("1e3"). Its errors
// are parts of sentences for people.
func ParseMoney(amount, currency string) (Money, error) {
	exp, ok := Exponent(currency)
	if !ok {
		return Money{}, fmt.Errorf("%q is not a currency code of ISO 4217 such as EUR", currency)
	}
	whole, frac, dotted := strings.Cut(amount, ".")
	if !digits(whole) || dotted && !digits(frac) {
		return Money{}, errors.New("a price is a number such as 29.90, not negative")
	}
	if frac = strings.TrimRight(frac, "0"); len(frac) > exp {
		return Money{}, fmt.Errorf("%s has %d decimals", currency, exp)
	}
	minor, err := strconv.ParseInt(whole+frac+strings.Repeat("0", exp-len(frac)), 10, 64)
	if err != nil || minor > maxMinor {
		return Money{}, errors.New("the price is too high")
	}
	return Money{Minor: minor, Currency: currency}, nil
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Amount returns the exact amount as a JSON number without trailing zeros: 29.9, 1500,
// 0.005.
func (m Money) Amount() json.Number {
	if m.Minor < 0 {
		return "-" + Money{-m.Minor, m.Currency}.Amount()
	}
	exp, _ := Exponent(m.Currency)
	digits := fmt.Sprintf("%0*d", exp+1, m.Minor)
	whole, frac := digits[:len(digits)-exp], strings.TrimRight(digits[len(digits)-exp:], "0")
	if frac == "" {
		return json.Number(whole)
	}
	return json.Number(whole + "." + frac)
}

// Decimal returns the number with all decimals of its currency: "49.90", "1500".
func (m Money) Decimal() string {
	if m.Minor < 0 {
		return "-" + Money{-m.Minor, m.Currency}.Decimal()
	}
	exp, _ := Exponent(m.Currency)
	digits := fmt.Sprintf("%0*d", exp+1, m.Minor)
	whole, frac := digits[:len(digits)-exp], digits[len(digits)-exp:]
	if frac != "" {
		whole += "." + frac
	}
	return whole
}

// String returns the amount for people: "49.90 EUR", "1500 JPY".
func (m Money) String() string { return m.Decimal() + " " + m.Currency }

// maxExponent is the largest number of decimals of any currency.
const maxExponent = 4

// Rank returns the amount at the same scale for all currencies, for sorting by face
// value: stoa knows no exchange rates.
func (m Money) Rank() int64 {
	exp, ok := Exponent(m.Currency)
	if !ok {
		return 0
	}
	rank := m.Minor
	for range maxExponent - exp {
		rank *= 10
	}
	return rank
}
