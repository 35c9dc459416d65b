package sales

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// sale is one purchase that is made up, and what followed. Times count from the moment that the
// demo began: back to the sale, and on from it to the rest.
type sale struct {
	ago       time.Duration
	offer     offer
	buyer     buyer
	instances []string      // activated, one minute after the other
	refund    time.Duration // zero if there was none
}

// offer is a tier of the demo's catalog, how many seats it has, and how often it sells.
type offer struct {
	slug, tier string
	seats      int
	weight     int
	free       bool
}

var offers = []offer{
	{"harbor-analytics", "free", 1, 3, true},
	{"harbor-analytics", "growth", 3, 7, false},
	{"harbor-analytics", "growth-yearly", 3, 2, false},
	{"mail-courier", "basic", 1, 4, false},
	{"mail-courier", "pro", 3, 6, false},
	{"mail-courier", "pro-yearly", 3, 1, false},
	{"bright-reviews", "plus", 1, 4, false},
	{"seo-compass", "free", 1, 3, true},
	{"parcel-desk", "starter", 1, 4, false},
	{"parcel-desk", "team", 5, 1, false},
	{"stock-pilot", "solo", 1, 3, false},
	{"stock-pilot", "fleet", 10, 2, false},
	{"ledgerline", "monthly", 1, 3, false},
	{"frontdesk-chat", "team", 2, 3, false},
	{"polyglot-store", "duo", 1, 3, false},
	{"checkout-fields", "single", 1, 4, false},
	{"lookbook-gallery", "studio", 1, 3, false},
	{"fraud-sentinel", "shield", 1, 2, false},
}

// buyer is a customer that does not exist. Names below .example belong to nobody.
type buyer struct {
	name, company, domain string
	account               bool // else a guest
}

func (b buyer) email() string { return "office@" + b.domain }

var buyers = []buyer{
	{"Ines Almeida", "Atelier Norte", "atelier-norte.example", true},
	{"Jonas Weber", "Weber Fahrräder", "weber-rad.example", true},
	{"Priya Raman", "Saffron & Salt", "saffron-salt.example", true},
	{"Mateo Rossi", "Rossi Ceramiche", "rossi-ceramiche.example", true},
	{"Freja Lund", "Lund Garn", "lund-garn.example", true},
	{"Thomas Girard", "Girard Thés", "girard-thes.example", true},
	{"Zofia Kowalska", "Zielnik", "zielnik.example", true},
	{"Amara Okafor", "Okafor Prints", "okafor-prints.example", true},
	{"Lena Hofer", "Bergladen", "bergladen.example", false},
	{"Samuel Wright", "Wright Tools", "wright-tools.example", false},
	{"Noor Haddad", "Cedar Soap", "cedar-soap.example", false},
	{"Eva Nováková", "Hračky Eva", "hracky-eva.example", false},
	{"Pedro Santos", "Café do Porto", "cafe-porto.example", false},
	{"Mia Virtanen", "Saimaa Sauna", "saimaa-sauna.example", false},
	{"Oliver Brandt", "Brandt Licht", "brandt-licht.example", false},
	{"Chloé Dubois", "Maison Dubois", "maison-dubois.example", false},
	{"Yuki Tanaka", "Tanaka Paper", "tanaka-paper.example", false},
	{"Daniel Cohen", "Olive Street", "olive-street.example", false},
}

// Days is how far back the sales reach. The overview's chart is as long.
const Days = 30

// plan returns the sales, the oldest first. It is the same list each time.
func plan() []sale {
	r := rand.New(rand.NewPCG(0x57_0a, Days)) //nolint:gosec // the same numbers each time
	var list []sale
	had := make(map[string]bool) // nobody buys a product twice
	add := func(ago time.Duration) {
		for range 20 {
			o, b := drawOffer(r), buyers[r.IntN(len(buyers))]
			if key := b.domain + " " + o.slug; !had[key] {
				had[key] = true
				list = append(list, newSale(r, ago, o, b))
				return
			}
		}
	}
	for day := Days - 2; day > 0; day-- {
		for range 1 + r.IntN(2) + (Days-day)/18 { // the shop grows
			add(time.Duration(day)*24*time.Hour + time.Duration(r.IntN(24*60))*time.Minute)
		}
	}
	for _, hours := range []int{2, 5, 6, 11, 19} { // the overview's first chart shows a day
		add(time.Duration(hours)*time.Hour + time.Duration(r.IntN(50))*time.Minute)
	}
	slices.SortStableFunc(list, func(a, b sale) int { return int(b.ago - a.ago) })
	return list
}

func drawOffer(r *rand.Rand) offer {
	sum := 0
	for _, o := range offers {
		sum += o.weight
	}
	n := r.IntN(sum)
	for _, o := range offers {
		if n -= o.weight; n < 0 {
			return o
		}
	}
	return offers[0]
}

func newSale(r *rand.Rand, ago time.Duration, o offer, b buyer) sale {
	s := sale{ago: ago, offer: o, buyer: b}
	if r.IntN(4) > 0 { // the others have not begun yet
		names := []string{"shop", "www", "b2b", "outlet"}
		for _, name := range names[:1+r.IntN(min(o.seats, len(names)))] {
			s.instances = append(s.instances, fmt.Sprintf("%s.%s", name, b.domain))
		}
	}
	if after := time.Duration(8+r.IntN(60)) * time.Hour; !o.free && after < ago && r.IntN(12) == 0 {
		s.refund = after
	}
	return s
}
