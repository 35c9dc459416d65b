package wording

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// formatsFile is written by web/formats.js, from what browsers know.
//
//go:embed formats.json
var formatsFile []byte

// format is how people write numbers, amounts of money and days in a language.
type format struct {
	Group   string            `json:"group"`
	Least   int               `json:"least"` // how many digits a number has at least whose digits are grouped
	Decimal string            `json:"decimal"`
	Code    string            `json:"code"`    // an amount with a currency's code: "¤ #"
	Symbols map[string]string `json:"symbols"` // an amount in currencies with a sign: "#\u00a0€"
	Days    []string          `json:"days"`    // a day of each month: "{d} janv. {y}"
	Between string            `json:"between"` // what stands between a day and a time: " à "
}

var formats = sync.OnceValues(func() (all map[string]format, err error) {
	err = json.Unmarshal(formatsFile, &all)
	return all, err
})

// formatOf returns the format of a language: its own, or that of the language of which it is a region, or
// English.
func formatOf(tag string) (format, error) {
	all, err := formats()
	if err != nil {
		return format{}, fmt.Errorf("wording: formats: %w", err)
	}
	base, _, _ := strings.Cut(tag, "-")
	for _, name := range []string{tag, base} {
		if f, ok := all[name]; ok {
			return f, nil
		}
	}
	return all["en"], nil
}

// Number writes a whole number with the separators of the language.
func (w *Words) Number(n int) string {
	if n < 0 {
		return "-" + w.grouped(strconv.Itoa(n)[1:])
	}
	return w.grouped(strconv.Itoa(n))
}

func (w *Words) grouped(digits string) string {
	if len(digits) < w.format.Least {
		return digits
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + w.format.Group + digits[at:]
	}
	return digits
}

// Decimal writes a number with some decimals.
func (w *Words) Decimal(n float64, decimals int) string {
	return strings.Replace(strconv.FormatFloat(n, 'f', decimals, 64), ".", w.format.Decimal, 1)
}

// Money writes an amount as formatMoney of web/src/text/format.ts does: whole amounts have no decimals.
// whole are its digits before the decimal separator, fraction those after it.
func (w *Words) Money(whole, fraction, currency string) string {
	amount := w.grouped(whole)
	if strings.Trim(fraction, "0") != "" {
		amount += w.format.Decimal + fraction
	}
	around, ok := w.format.Symbols[currency]
	if !ok {
		around = strings.Replace(w.format.Code, "¤", currency, 1)
	}
	return strings.Replace(around, "#", amount, 1)
}

// Day writes a date.
func (w *Words) Day(at time.Time) string {
	at = at.UTC()
	return strings.NewReplacer("{dd}", at.Format("02"), "{d}", strconv.Itoa(at.Day()), "{y}", strconv.Itoa(at.Year())).
		Replace(w.format.Days[at.Month()-1])
}

// Moment writes a date and a time in UTC.
func (w *Words) Moment(at time.Time) string {
	return w.Day(at) + w.format.Between + at.UTC().Format("15:04 UTC")
}
