package discount

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

// faults returns "path code" of every issue.
func faults(is errs.Issues) string {
	var list []string
	for _, i := range is.List() {
		list = append(list, i.Path+" "+i.Code)
	}
	return strings.Join(list, ", ")
}

func form(tb testing.TB, text string) Form {
	tb.Helper()
	var f Form
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		tb.Fatal(err)
	}
	return f
}

func TestAFormMakesADiscount(t *testing.T) {
	t.Parallel()

	at := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, form string
		want       Discount
		faults     string
	}{
		{"the least", `{"code":"launch-20","percentOff":20}`, Discount{Code: "LAUNCH-20", Percent: 2000, Duration: Once}, ""},
		{"all", `{"code":"A1-","amountOff":5.5,"currency":"EUR","products":["a","b"],"tiers":["pro"],"duration":"forever",
			"startsAt":"2030-03-01T12:00:00Z","endsAt":"2030-03-01T14:00:00+01:00","maxUses":100,"oncePerCustomer":true,"active":false}`,
			Discount{
				Code: "A1-", Amount: product.Money{Minor: 550, Currency: "EUR"}, Products: []string{"a", "b"}, Tiers: []string{"pro"},
				Duration: Forever, StartsAt: at, EndsAt: at.Add(time.Hour), MaxUses: 100, OncePerCustomer: true,
			}, ""},
		{"two decimals of a percent", `{"code":"ABC","percentOff":12.50}`, Discount{Code: "ABC", Percent: 1250, Duration: Once}, ""},
		{"the smallest percent", `{"code":"ABC","percentOff":0.01}`, Discount{Code: "ABC", Percent: 1, Duration: Once}, ""},
		{"all percent", `{"code":"ABC","percentOff":100.00}`, Discount{Code: "ABC", Percent: 10000, Duration: Once}, ""},
		{"empty lists and null are absent", `{"code":"ABC","percentOff":1,"products":[],"tiers":null,"startsAt":null,"duration":null,"maxUses":null}`,
			Discount{Code: "ABC", Percent: 100, Duration: Once}, ""},

		{"nothing", `{}`, Discount{}, "code required, percentOff required"},
		{"null", `{"code":null,"percentOff":null}`, Discount{}, "code required, percentOff required"},
		{"wrong types", `{"code":1,"percentOff":"20","products":"a","tiers":[1],"duration":1,"startsAt":1,"endsAt":"soon","maxUses":"1","oncePerCustomer":1,"active":"yes"}`,
			Discount{}, "code wrong_type, percentOff wrong_type, products wrong_type, tiers wrong_type, duration wrong_type, startsAt wrong_type, endsAt wrong_type, maxUses wrong_type, oncePerCustomer wrong_type, active wrong_type"},
		{"too short", `{"code":"AB","percentOff":1}`, Discount{}, "code invalid"},
		{"too long", `{"code":"` + strings.Repeat("A", 41) + `","percentOff":1}`, Discount{}, "code invalid"},
		{"a space", `{"code":"A B","percentOff":1}`, Discount{}, "code invalid"},
		{"a long s", `{"code":"\u017falt","percentOff":1}`, Discount{}, "code invalid"},
		{"no percent", `{"code":"ABC","percentOff":0}`, Discount{}, "percentOff out_of_range"},
		{"too many", `{"code":"ABC","percentOff":100.01}`, Discount{}, "percentOff out_of_range"},
		{"a third decimal", `{"code":"ABC","percentOff":0.001}`, Discount{}, "percentOff out_of_range"},
		{"negative", `{"code":"ABC","percentOff":-1}`, Discount{}, "percentOff out_of_range"},
		{"an exponent", `{"code":"ABC","percentOff":1e1}`, Discount{}, "percentOff out_of_range"},
		{"both", `{"code":"ABC","percentOff":1,"amountOff":1,"currency":"EUR"}`, Discount{}, "amountOff invalid"},
		{"percent of a currency", `{"code":"ABC","percentOff":1,"currency":"EUR"}`, Discount{}, "currency invalid"},
		{"an amount of nothing", `{"code":"ABC","amountOff":1}`, Discount{}, "currency required"},
		{"no such currency", `{"code":"ABC","amountOff":1,"currency":"eur"}`, Discount{}, "currency unknown_value"},
		{"too many decimals", `{"code":"ABC","amountOff":1.5,"currency":"JPY"}`, Discount{}, "amountOff out_of_range"},
		{"an amount of 0", `{"code":"ABC","amountOff":0.00,"currency":"EUR"}`, Discount{}, "amountOff out_of_range"},
		{"beyond all prices", `{"code":"ABC","amountOff":99999999999999999999,"currency":"EUR"}`, Discount{}, "amountOff out_of_range"},
		{"an end before the beginning", `{"code":"ABC","percentOff":1,"startsAt":"2030-03-01T12:00:00Z","endsAt":"2030-03-01T12:00:00Z"}`, Discount{}, "endsAt out_of_range"},
		{"the dawn of time", `{"code":"ABC","percentOff":1,"startsAt":"0001-01-01T00:00:00Z"}`, Discount{}, "startsAt out_of_range"},
		{"no uses", `{"code":"ABC","percentOff":1,"maxUses":0}`, Discount{}, "maxUses out_of_range"},
		{"half a use", `{"code":"ABC","percentOff":1,"maxUses":1.5}`, Discount{}, "maxUses out_of_range"},
		{"another duration", `{"code":"ABC","percentOff":1,"duration":"twice"}`, Discount{}, "duration unknown_value"},
		{"no duration", `{"code":"ABC","percentOff":1,"duration":""}`, Discount{}, "duration unknown_value"},
		{"bad names", `{"code":"ABC","percentOff":1,"products":["a","a",null],"tiers":["","x"]}`, Discount{}, "products[1] duplicate, products[2] invalid, tiers[0] invalid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, wrong := form(t, tt.form).apply(Discount{Active: true})
			if is := faults(wrong); is != tt.faults {
				t.Fatalf("faults are %q, want %q", is, tt.faults)
			}
			tt.want.Active = !strings.Contains(tt.form, `"active":false`)
			if tt.faults == "" && !cmp.Equal(got, tt.want) {
				t.Error(cmp.Diff(got, tt.want))
			}
		})
	}
}

func TestAChangeLeavesWhatItDoesNotName(t *testing.T) {
	t.Parallel()

	at := time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)
	percent := Discount{
		Code: "ABC", Percent: 100, Products: []string{"a"}, Tiers: []string{"b"}, Duration: Forever,
		StartsAt: at, EndsAt: at.Add(time.Hour), MaxUses: 5, OncePerCustomer: true, Active: true,
	}
	euros := percent
	euros.Percent, euros.Amount = 0, product.Money{Minor: 500, Currency: "EUR"}
	for _, tt := range []struct {
		name, form string
		old        Discount
		want       func(*Discount)
		faults     string
	}{
		{"nothing", `{}`, percent, func(*Discount) {}, ""},
		{"an amount replaces a percentage", `{"amountOff":5,"currency":"EUR"}`, percent, func(d *Discount) { *d = euros }, ""},
		{"a percentage replaces an amount", `{"percentOff":1}`, euros, func(d *Discount) { *d = percent }, ""},
		{"with the other as null", `{"percentOff":1,"amountOff":null,"currency":null}`, euros, func(d *Discount) { *d = percent }, ""},
		{"an amount in the same currency", `{"amountOff":6}`, euros, func(d *Discount) { d.Amount.Minor = 600 }, ""},
		{"what can be removed", `{"products":null,"tiers":[],"startsAt":null,"endsAt":null,"maxUses":null}`, euros, func(d *Discount) {
			d.Products, d.Tiers, d.StartsAt, d.EndsAt, d.MaxUses = nil, nil, time.Time{}, time.Time{}, 0
		}, ""},
		{"what was read", `{"code":"ABC","amountOff":5,"currency":"EUR","active":true}`, euros, func(*Discount) {}, ""},
		{"another currency alone", `{"currency":"USD"}`, euros, nil, "amountOff required"},
		{"a currency of a percentage", `{"currency":"USD"}`, percent, nil, "currency invalid"},
		{"nothing left", `{"amountOff":null}`, euros, nil, "percentOff required"},
		{"an end before the beginning", `{"endsAt":"2030-03-01T11:00:00Z"}`, euros, nil, "endsAt out_of_range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, wrong := form(t, tt.form).apply(tt.old)
			if is := faults(wrong); is != tt.faults {
				t.Fatalf("faults are %q, want %q", is, tt.faults)
			}
			if tt.faults != "" {
				return
			}
			want := tt.old
			tt.want(&want)
			if !cmp.Equal(got, want) {
				t.Error(cmp.Diff(got, want))
			}
		})
	}
}

// FuzzForm: what is accepted is a discount that can be stored and shown.
func FuzzForm(f *testing.F) {
	f.Add(`{"code":"launch-20","percentOff":20}`)
	f.Add(`{"code":"A1-","amountOff":5.5,"currency":"EUR","products":["a"],"startsAt":"2030-03-01T12:00:00Z","maxUses":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		var in Form
		if json.Unmarshal([]byte(text), &in) != nil {
			t.Skip()
		}
		d, wrong := in.apply(Discount{})
		if wrong.Len() > 0 {
			return
		}
		code, ok := ParseCode(d.Code)
		if !ok || code != d.Code || (d.Percent > 0) == (d.Amount.Minor > 0) || d.Percent < 0 || d.Percent > whole ||
			d.Amount.Minor < 0 || d.MaxUses < 0 || d.MaxUses > math.MaxInt32 || d.Duration != Once && d.Duration != Forever ||
			len(d.Products) > maxNames || len(d.Tiers) > maxNames {
			t.Errorf("%s is %+v", text, d)
		}
		if d.Percent > 0 && !json.Valid([]byte(d.PercentOff())) {
			t.Errorf("%d is shown as %s", d.Percent, d.PercentOff())
		}
	})
}

func TestKeysOfACustomer(t *testing.T) {
	t.Parallel()

	s := &Service{Mailbox: strings.ToLower, Secret: []byte("secret")}
	keys := s.Keys(Customer{UserID: "u1", Emails: []string{"Ada@example.com", "ada@example.com"}})
	if len(keys) != 2 || strings.Contains(strings.Join(keys, " "), "example") {
		t.Errorf("keys = %v", keys)
	}
	if other := (&Service{Mailbox: strings.ToLower, Secret: []byte("other")}).Keys(Customer{Emails: []string{"ada@example.com"}}); other[0] == keys[0] {
		t.Error("the hash does not depend on the secret")
	}
	if s.Keys(Customer{}) != nil {
		t.Error("nobody has keys")
	}
}
