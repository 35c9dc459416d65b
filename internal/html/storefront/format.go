package storefront

import (
	"strconv"
	"strings"
	"time"

	"stoa/internal/shop/product"
)

// symbols are the currencies that are written with a sign before the amount, as browsers
// write them in English (Intl.NumberFormat).
var symbols = map[string]string{
	"AUD": "A$", "BRL": "R$", "CAD": "CA$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪", "INR": "₹",
	"JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱", "TWD": "NT$", "USD": "$", "VND": "₫",
	"XAF": "FCFA\u00a0", "XCD": "EC$", "XOF": "F\u202fCFA\u00a0", "XPF": "CFPF\u00a0",
}

// money writes an amount as formatMoney of web/src/text/format.ts does: whole amounts
// have no decimals.
func (p *Pages) money(m product.Money) string {
	exp, _ := product.Exponent(m.Currency)
	digits := strconv.FormatInt(m.Minor, 10)
	if missing := exp + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, fraction := digits[:len(digits)-exp], digits[len(digits)-exp:]
	n, err := strconv.Atoi(whole)
	if err == nil {
		whole = p.words.Number(n)
	}
	if strings.Trim(fraction, "0") != "" {
		whole += p.text("format.decimal") + fraction
	}
	sign, ok := symbols[m.Currency]
	if !ok {
		sign = m.Currency + "\u00a0"
	}
	return sign + whole
}

// day writes a date.
func (p *Pages) day(at time.Time) string { return at.UTC().Format(p.text("format.day")) }

// stars writes a rating with one decimal.
func stars(rating float64) string { return strconv.FormatFloat(rating, 'f', 1, 64) }
