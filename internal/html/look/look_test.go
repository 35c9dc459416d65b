package look

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// Whatever color an operator chooses, links and buttons in it are readable in both
// schemes.
func TestEveryAccentIsReadable(t *testing.T) {
	t.Parallel()

	pair := regexp.MustCompile(`--shop-(on-)?accent: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`)
	least := map[Contrast]float64{AA: 4.5, AAA: 7}
	for _, accent := range []string{"#0f6b66", "#ffff00", "#ffffff", "#000000", "#808080", "#ff0000", "#c0ffee", "#123456"} {
		for enough, least := range least {
			sheet := string(Sheet(accent, enough, Theme{}))
			found := pair.FindAllStringSubmatch(sheet, -1)
			if len(found) != 2 {
				t.Fatalf("%s: %s", accent, sheet)
			}
			for i, page := range []string{"#ffffff", "#131416"} {
				c, _ := parse(found[0][2+i])
				on, _ := parse(found[1][2+i])
				behind, _ := parse(page)
				if c.contrast(behind) < least || c.contrast(on) < least {
					t.Errorf("%s on %s is %s with %s on it", accent, page, c, on)
				}
				if tinted := c.over(behind, 0.12); enough == AAA && c.contrast(tinted) < least {
					t.Errorf("%s on a ground of %s has a contrast of %.2f", c, tinted, c.contrast(tinted))
				}
			}
		}
	}
	if c, _ := parse("#0f6b66"); c.readableOn(color{1, 1, 1}, AA) != c {
		t.Error("a readable color was changed")
	}
	for _, none := range []string{"", "red", "#12345", "#12345g", "#1234567"} {
		if got := Sheet(none, AA, Theme{}); len(got) != 0 {
			t.Errorf("%q = %s", none, got)
		}
	}
}

// over returns the color laid over another, as color-mix does in the console's style sheet.
func (c color) over(below color, part float64) (mixed color) {
	for i := range c {
		mixed[i] = c[i]*part + below[i]*(1-part)
	}
	return mixed
}

// A theme pack's style sheet comes first in the file, as imports must, and wins over the
// shop's color all the same: that is in a layer.
func TestAThemeHasTheLastWord(t *testing.T) {
	t.Parallel()

	config, err := json.Marshal(map[string]any{
		"accentColor": "#ff0000", "radius": 4, "dense": true, "font": "Inter, sans-serif", "shadow": "rgb(0 0 0)",
		"leak": "url(https://evil.example)", "escape": "red; } body { display: none", "open": "rgb(0", "quote": `"x"`,
		"back": `\3b`, "empty": "", "bad name": "red", "list": []string{"x"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := string(Sheet("#000000", AA, Theme{Stylesheet: "/themes/shop/aurora/1.0.0/a.css", Config: config}))
	if !strings.HasPrefix(got, "@import url(\"/themes/shop/aurora/1.0.0/a.css\");\n@layer shop { :root {") {
		t.Errorf("the sheet = %s", got)
	}
	for _, want := range []string{
		"--theme-accentColor: #ff0000;", "--theme-radius: 4;", "--theme-font: Inter, sans-serif;", "--theme-shadow: rgb(0 0 0);",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the sheet has no %s", want)
		}
	}
	if n := strings.Count(got, "--theme-"); n != 4 || strings.Count(got, "}") != 2 {
		t.Errorf("a value that is none became a property: %s", got)
	}
}
