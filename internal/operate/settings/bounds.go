package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds are the least and the highest value of a setting. The zero value allows all.
type Bounds struct {
	least, most int64
	text        func(int64) string
	unit        string // what a number counts, for errors
	orZero      bool
}

func numbers(least, most int64) Bounds { return Bounds{least: least, most: most, text: decimal} }

func durations(least, most time.Duration) Bounds {
	return Bounds{least: int64(least), most: int64(most), text: short}
}

// No setting has values above these.
const (
	anyNumber   = math.MaxInt64
	anyDuration = time.Duration(math.MaxInt64)
)

func (b Bounds) of(unit string) Bounds {
	b.unit = " " + unit
	return b
}

// andZero allows 0 as well, which turns the thing off.
func (b Bounds) andZero() Bounds {
	b.orZero = true
	return b
}

// Range returns the least and the highest value.
func (b Bounds) Range() (least, most int64) { return b.least, b.most }

// String returns the bounds as sentences have them: "1m to 8760h".
func (b Bounds) String() string {
	switch {
	case b.text == nil:
		return "any"
	case b.most == math.MaxInt64:
		return "at least " + b.text(b.least)
	case b.orZero:
		return b.text(b.least) + " to " + b.text(b.most) + ", or " + b.text(0)
	}
	return b.text(b.least) + " to " + b.text(b.most)
}

// check returns an error that names the setting unless a value is within the bounds.
func (b Bounds) check(name string, value int64) error {
	if b.text == nil || b.least <= value && value <= b.most || b.orZero && value == 0 {
		return nil
	}
	or := ""
	if b.orZero {
		or = ", or " + b.text(0)
	}
	switch {
	case b.most < math.MaxInt64:
		return fmt.Errorf("%s is %s: it must be from %s to %s%s%s",
			name, b.text(value), b.text(b.least), b.text(b.most), b.unit, or)
	case b.least == 0:
		return fmt.Errorf("%s must not be negative", name)
	}
	return fmt.Errorf("%s must be at least %s", name, b.text(b.least))
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// short returns a duration as people write it: 1m, not 1m0s.
func short(n int64) string {
	text := time.Duration(n).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}
