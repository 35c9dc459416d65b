package template

import (
	"fmt"
	"strings"
	"testing"
)

func anyName(string) bool { return true }

func TestATextIsRendered(t *testing.T) {
	t.Parallel()

	values := map[string]string{"a": "Ada", "b": "{{a}}", "empty": ""}
	for _, tt := range []struct{ name, text, want string }{
		{"words", "Hello\n", "Hello\n"},
		{"a variable", "Hello {{a}}, {{ a }}!", "Hello Ada, Ada!"},
		{"one without a value", "[{{empty}}{{none}}]", "[]"},
		{"a value is not read again", "{{b}}", "{{a}}"},
		{"a section", "{{#a}}yes{{/a}}{{#empty}}no{{/empty}}", "yes"},
		{"an inverted section", "{{^a}}no{{/a}}{{^empty}}yes{{/empty}}", "yes"},
		{"lines with nothing but a section are no lines", "1\n{{#a}}\n2\n  {{/a}}  \n3\n", "1\n2\n3\n"},
		{"lines with words are", "1\n{{#a}}2\n{{/a}}\n3", "1\n2\n3"},
		{"a variable alone is a line", "1\n{{a}}\n{{none}}\n2", "1\nAda\n\n2"},
		{"sections in sections", "{{#a}}{{#b}}{{^none}}x{{/none}}{{/b}}{{/a}}", "x"},
		{"the same section twice", "{{#a}}1{{/a}}{{#a}}2{{/a}}", "12"},
		{"braces", "{a} } {", "{a} } {"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			p, faults := Parse(tt.text, anyName)
			got, ok := p.Render(values)
			if len(faults) > 0 || !ok || got != tt.want {
				t.Errorf("%q = %q, %v, %v; want %q", tt.text, got, ok, faults, tt.want)
			}
		})
	}
}

func TestFaultsOfATextHaveTheirLines(t *testing.T) {
	t.Parallel()

	deep := strings.Repeat("{{#a}}", maxDepth) + strings.Repeat("{{/a}}", maxDepth)
	for _, tt := range []struct{ name, text, want string }{
		{"an unknown variable", "1\n{{x}}", "2 unknown_value"},
		{"an unknown section", "{{#x}}{{/x}}", "1 unknown_value"},
		{"no end of a tag", "1\n2 {{a\n}}", "2 invalid"},
		{"no end of a section", "1\n{{#a}}\n", "2 invalid"},
		{"no beginning of a section", "{{/a}}", "1 invalid"},
		{"crossed sections", "{{#a}}{{#b}}{{/a}}{{/b}}", "1 invalid, 1 invalid"},
		{"HTML", "{{{a}}}", "1 invalid"},
		{"unescaped", "{{&a}}", "1 invalid"},
		{"a partial", "{{>a}}", "1 invalid"},
		{"a comment", "{{! a}}", "1 invalid"},
		{"other delimiters", "{{=<% %>=}}", "1 invalid"},
		{"a path", "{{a.b}}", "1 invalid"},
		{"nothing", "{{}} {{#}}", "1 invalid"},
		{"code", "{{template \"a\"}}", "1 invalid"},
		{"as deep as can be", deep, ""},
		{"one deeper", "{{#a}}" + deep + "{{/a}}", "1 invalid"},
		{"two faults", "{{x}}\n{{y}}", "1 unknown_value, 2 unknown_value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			_, faults := Parse(tt.text, func(name string) bool { return name == "a" || name == "b" })
			var got []string
			for _, f := range faults {
				got = append(got, fmt.Sprint(f.Line, " ", f.Code))
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("%q: %v; want %s", tt.text, faults, tt.want)
			}
		})
	}
}

func TestATextThatIsTooLongIsNotRendered(t *testing.T) {
	t.Parallel()

	p, _ := Parse(strings.Repeat("{{a}}", 4), anyName)
	if _, ok := p.Render(map[string]string{"a": strings.Repeat("x", maxRendered/4)}); !ok {
		t.Error("the longest is refused")
	}
	if _, ok := p.Render(map[string]string{"a": strings.Repeat("x", maxRendered/4+1)}); ok {
		t.Error("one longer is rendered")
	}
}

func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"{{licenseKey}}", "{{#link}}\n{{link}}\n{{/link}}\n{{licenseKey}}", "https://shop.example.com/x {{shopUrl}}/y\n{{licenseKey}}",
		"{{shopUrl}}{{#amount}}.evil.example{{/amount}}\n{{licenseKey}}", "{{^x}}{{",
		"www{{^amount}}\n{{/amount}}\n{{licenseKey}}", "\x00\u202e",
	} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, subject, body string) {
		form := Form{subject, body}
		parsed, faults := form.parse(Receipt, shopURL)
		if faults.Len() > 0 {
			return
		}
		s := service(t)
		secret := "STOA-2Q9T4-M7XKB-0H3VZ-8RWD6-PN5CJ-YE1GA"
		for _, values := range []map[string]string{s.examples(Shop{Name: "Shop"}), s.values(Shop{Name: "Shop"}, map[string]string{LicenseKey: secret})} {
			_, text, ok := s.renderChecked(parsed, values)
			if !ok {
				continue
			}
			for line := range strings.Lines(text) {
				if strings.Contains(line, secret) && strings.TrimSpace(line) != secret {
					t.Errorf("%q: the key is not alone on %q", body, line)
				}
				if foreign := foreignAddress(line, shopURL); foreign != "" {
					t.Errorf("%q: %s", body, foreign)
				}
			}
		}
	})
}
