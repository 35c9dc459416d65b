// Package look writes the style sheet that pages link last: the shop's color, and the
// active theme pack. It asks no service.
package look

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Theme is an active theme pack. The zero value is none.
type Theme struct {
	Stylesheet string          // its address on this server
	Config     json.RawMessage // without secrets; each value becomes a custom property
}

// Contrast is the least contrast of the accent with the page behind it, as WCAG 2 counts.
type Contrast float64

const (
	// AA is for the shop, where the accent is to be the operator's own if that is readable.
	AA Contrast = 4.6
	// AAA is for the console: text in the accent keeps 7:1 on grounds that are a little
	// darker than the page, or tinted with the accent.
	AAA Contrast = 9
)

// Sheet returns the style sheet for an accent, as #rrggbb or empty, and a theme, which
// has the last word. The accent is changed as little as its contrast asks for.
func Sheet(accent string, enough Contrast, t Theme) []byte {
	var out strings.Builder
	if t.Stylesheet != "" {
		fmt.Fprintf(&out, "@import url(%q);\n", t.Stylesheet)
	}
	var lines []string
	if c, ok := parse(accent); ok {
		// The pages behind it, as tokens.css has them.
		light, dark := c.readableOn(color{1, 1, 1}, enough),
			c.readableOn(color{0x13 / 255.0, 0x14 / 255.0, 0x16 / 255.0}, enough)
		lines = append(lines, fmt.Sprintf("--shop-accent: light-dark(%s, %s);", light, dark),
			fmt.Sprintf("--shop-on-accent: light-dark(%s, %s);", light.ink(), dark.ink()))
	}
	lines = append(lines, properties(t.Config)...)
	if len(lines) > 0 { // in a layer, so that the theme can say otherwise
		fmt.Fprintf(&out, "@layer shop { :root { %s } }\n", strings.Join(lines, " "))
	}
	return []byte(out.String())
}

var (
	propertyName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	// plainValue has nothing with which a value could leave its place: no quotes, no
	// backslash, no brackets but round ones.
	plainValue = regexp.MustCompile(`^[A-Za-z0-9#.,%() _-]{1,200}$`)
)

// properties returns a custom property for each value of a config that can be one.
func properties(config json.RawMessage) (lines []string) {
	var values map[string]any
	if json.Unmarshal(config, &values) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var value string
		switch v := values[name].(type) {
		case string:
			value = v
		case float64:
			value = strconv.FormatFloat(v, 'f', -1, 64)
		}
		if propertyName.MatchString(name) && plainValue.MatchString(value) && balanced(value) &&
			!strings.Contains(strings.ToLower(value), "url(") {
			lines = append(lines, fmt.Sprintf("--theme-%s: %s;", name, value))
		}
	}
	return lines
}

// balanced reports whether every bracket is closed: an open one would swallow what
// follows.
func balanced(value string) bool {
	open := 0
	for _, r := range value {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		if open < 0 {
			return false
		}
	}
	return open == 0
}

// color is in sRGB, each part from 0 to 1.
type color [3]float64

func parse(text string) (c color, ok bool) {
	if len(text) != 7 || text[0] != '#' {
		return c, false
	}
	n, err := strconv.ParseUint(text[1:], 16, 32)
	if err != nil {
		return c, false
	}
	return color{float64(n >> 16 & 255), float64(n >> 8 & 255), float64(n & 255)}.scaled(1.0 / 255), true
}

func (c color) scaled(by float64) color { return color{c[0] * by, c[1] * by, c[2] * by} }

// String returns the color as #rrggbb.
func (c color) String() string {
	part := func(v float64) int { return int(math.Round(v * 255)) }
	return fmt.Sprintf("#%02x%02x%02x", part(c[0]), part(c[1]), part(c[2]))
}

// luminance is that of WCAG 2.
func (c color) luminance() float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// contrast is that of WCAG 2, from 1 to 21.
func (c color) contrast(other color) float64 {
	a, b := c.luminance(), other.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// readableOn returns the color, mixed with black or white until it is readable on a
// background.
func (c color) readableOn(background color, enough Contrast) color {
	toward := color{}
	if background.luminance() < 0.5 {
		toward = color{1, 1, 1}
	}
	mixed := c
	for part := 0.0; part <= 1; part += 0.02 {
		for i := range c {
			mixed[i] = c[i]*(1-part) + toward[i]*part
		}
		if mixed.contrast(background) >= float64(enough) {
			break
		}
	}
	return mixed
}

// ink returns what is readable on the color.
func (c color) ink() color {
	white, black := color{1, 1, 1}, color{0.05, 0.05, 0.06}
	if c.contrast(white) >= c.contrast(black) {
		return white
	}
	return black
}
