package discount

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/shop/product"
)

// Form is what an administrator sends to make or change a discount, by field. Absent fields stay as they are.
// Null removes what may be absent, and else counts as absent.
type Form map[string]json.RawMessage

// Bounds of a form.
const (
	maxNames = 200 // products, and tiers
	lastYear = 9999
)

// filler sets the fields of a discount from a form.
type filler struct {
	form Form
	to   *Discount
	errs.Issues
}

// apply returns d as the form makes it, and what is wrong with the result. Known products and tiers are not
// checked.
func (f Form) apply(d Discount) (Discount, errs.Issues) {
	w := filler{form: f, to: &d}
	w.code()
	w.worth()
	d.Products = w.names("products", d.Products)
	d.Tiers = w.names("tiers", d.Tiers)
	w.duration()
	d.StartsAt, d.EndsAt = w.moment("startsAt", d.StartsAt), w.moment("endsAt", d.EndsAt)
	if !d.StartsAt.IsZero() && !d.EndsAt.IsZero() && !d.EndsAt.After(d.StartsAt) && !w.Has("startsAt") &&
		!w.Has("endsAt") {
		w.Add("endsAt", errs.CodeOutOfRange, "endsAt must be after startsAt.")
	}
	w.maxUses()
	w.flag("oncePerCustomer", &d.OncePerCustomer)
	w.flag("active", &d.Active)
	return d, w.Issues
}

// given returns a field that is sent and not null.
func (w *filler) given(name string) (json.RawMessage, bool) {
	raw, sent := w.form[name]
	return raw, sent && !null(raw)
}

// removed reports whether a field is sent as null.
func (w *filler) removed(name string) bool {
	raw, sent := w.form[name]
	return sent && null(raw)
}

func null(raw json.RawMessage) bool { return string(raw) == "null" }

// read decodes a field into v, and reports whether it was there and of the right type.
func (w *filler) read(name, kind string, v any) bool {
	raw, ok := w.given(name)
	if !ok {
		return false
	}
	if json.Unmarshal(raw, v) != nil {
		w.Add(name, errs.CodeWrongType, "%s must be %s.", name, kind)
		return false
	}
	return true
}

func (w *filler) code() {
	var s string
	if !w.read("code", "a text", &s) {
		if w.to.Code == "" && !w.Has("code") {
			w.Add("code", errs.CodeRequired, "code is required.")
		}
		return
	}
	code, ok := ParseCode(s)
	if !ok {
		w.Add("code", errs.CodeInvalid, "code must be %d to %d of the letters A to Z, digits and dashes.", minCode, maxCode)
		return
	}
	w.to.Code = code
}

// worth reads what is taken off. Who sends one of both replaces the other.
func (w *filler) worth() {
	percent, hasPercent := w.given("percentOff")
	amount, hasAmount := w.given("amountOff")
	currency, hasCurrency := w.currency()
	switch {
	case hasPercent && hasAmount:
		w.Add("amountOff", errs.CodeInvalid, "percentOff and amountOff cannot be together.")
		return
	case hasCurrency && !hasAmount && (hasPercent || w.to.Percent > 0):
		w.Add("currency", errs.CodeInvalid, "currency is of amountOff. percentOff holds in every currency.")
		return
	case hasPercent:
		w.percent(percent)
		w.to.Amount = product.Money{}
		return
	case hasAmount:
		w.to.Percent = 0
		w.amount(amount, currency)
		return
	case hasCurrency && w.to.Amount.Minor > 0 && currency != w.to.Amount.Currency && currency != "":
		w.Add("amountOff", errs.CodeRequired, "amountOff is required with another currency.")
		return
	case w.Has("currency"):
		return
	}
	if w.removed("percentOff") {
		w.to.Percent = 0
	}
	if w.removed("amountOff") {
		w.to.Amount = product.Money{}
	}
	if w.to.Percent == 0 && w.to.Amount.Minor == 0 {
		w.Add("percentOff", errs.CodeRequired, "percentOff is required, or amountOff with currency.")
	}
}

// currency reads the currency. It is empty if it is faulty.
func (w *filler) currency() (string, bool) {
	var code string
	if !w.read("currency", "a text", &code) {
		return "", w.Has("currency")
	}
	if _, ok := product.Exponent(code); !ok {
		w.Add("currency", errs.CodeUnknownValue, "currency must be a code of ISO 4217 such as EUR.")
		return "", true
	}
	return code, true
}

// decimal is how JSON writes a number without sign and exponent.
var decimal = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// number returns the text of a JSON number.
func (w *filler) number(name string, raw json.RawMessage) (string, bool) {
	s := string(raw)
	var n json.Number
	switch {
	case strings.HasPrefix(s, `"`) || json.Unmarshal(raw, &n) != nil:
		w.Add(name, errs.CodeWrongType, "%s must be a number.", name)
	case !decimal.MatchString(s):
		w.Add(name, errs.CodeOutOfRange, "%s must be a number such as 12.5, above 0.", name)
	default:
		return s, true
	}
	return "", false
}

func (w *filler) percent(raw json.RawMessage) {
	s, ok := w.number("percentOff", raw)
	if !ok {
		return
	}
	whole100, fraction, _ := strings.Cut(s, ".")
	fraction = strings.TrimRight(fraction, "0")
	n, err := strconv.Atoi(whole100 + (fraction + "00")[:max(2, len(fraction))])
	if err != nil || len(fraction) > 2 || n < 1 || n > whole {
		w.Add("percentOff", errs.CodeOutOfRange, "percentOff must be above 0 and at most 100, with at most two decimals.")
		return
	}
	w.to.Percent = n
}

func (w *filler) amount(raw json.RawMessage, currency string) {
	s, ok := w.number("amountOff", raw)
	if currency == "" && !w.Has("currency") {
		currency = w.to.Amount.Currency
	}
	if currency == "" {
		if !w.Has("currency") {
			w.Add("currency", errs.CodeRequired, "currency is required with amountOff.")
		}
		return
	}
	if !ok {
		return
	}
	m, err := product.ParseMoney(s, currency)
	switch {
	case err != nil:
		w.Add("amountOff", errs.CodeOutOfRange, "amountOff: %s.", err)
	case m.Minor == 0:
		w.Add("amountOff", errs.CodeOutOfRange, "amountOff must be above 0.")
	default:
		w.to.Amount = m
	}
}

// names reads a list of slugs or ids. Null, and an empty list, mean all.
func (w *filler) names(name string, old []string) []string {
	if w.removed(name) {
		return nil
	}
	var list []*string
	if !w.read(name, "a list of texts", &list) {
		return old
	}
	if len(list) > maxNames {
		w.Add(name, errs.CodeOutOfRange, "%s must be at most %d.", name, maxNames)
		return old
	}
	out := make([]string, 0, len(list))
	for i, s := range list {
		path := fmt.Sprintf("%s[%d]", name, i)
		if s == nil {
			s = new("")
		}
		switch {
		case *s == "" || !text.Printable(*s, text.Short):
			w.Add(path, errs.CodeInvalid, "%s must be 1 to %d printable characters.", path, text.Short)
		case slices.Contains(out, *s):
			w.Add(path, errs.CodeDuplicate, "%s is there twice.", path)
		}
		out = append(out, *s) // a faulty one keeps the others in their places
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (w *filler) duration() {
	var s string
	if !w.read("duration", "a text", &s) {
		if w.to.Duration == "" {
			w.to.Duration = Once
		}
		return
	}
	w.OneOf("duration", s, string(Once), string(Forever))
	if s == "" {
		w.Add("duration", errs.CodeUnknownValue, "duration must be once or forever.")
	}
	w.to.Duration = Duration(s)
}

// moment reads a time, in the precision of the database.
func (w *filler) moment(name string, old time.Time) time.Time {
	if w.removed(name) {
		return time.Time{}
	}
	var at time.Time
	if !w.read(name, "a time like 2030-03-01T12:00:00Z", &at) {
		return old
	}
	at = at.UTC().Truncate(time.Millisecond)
	if at.Year() < 1971 || at.Year() > lastYear { // 1970 begins with the zero of the database
		w.Add(name, errs.CodeOutOfRange, "%s must be in the years 1971 to %d.", name, lastYear)
	}
	return at
}

func (w *filler) maxUses() {
	if w.removed("maxUses") {
		w.to.MaxUses = 0
		return
	}
	raw, ok := w.given("maxUses")
	if !ok {
		return
	}
	var n json.Number
	if strings.HasPrefix(string(raw), `"`) || json.Unmarshal(raw, &n) != nil {
		w.Add("maxUses", errs.CodeWrongType, "maxUses must be a whole number.")
		return
	}
	uses, err := strconv.Atoi(string(raw))
	if err != nil || uses < 1 || uses > math.MaxInt32 {
		w.Add("maxUses", errs.CodeOutOfRange, "maxUses must be a whole number from 1 to %d.", math.MaxInt32)
		return
	}
	w.to.MaxUses = uses
}

func (w *filler) flag(name string, to *bool) {
	w.read(name, "a boolean", to)
}
