package markdown

import (
	"regexp"
	"strings"
	"testing"
)

func TestMarkdownBecomesHTML(t *testing.T) {
	t.Parallel()

	for source, want := range map[string]string{
		"One\ntwo.\n\nThree.":          "<p>One\ntwo.</p><p>Three.</p>",
		"# A\n\n## B *c*":              "<h2>A</h2><h3>B <em>c</em></h3>",
		"- a\n- **b**\n  - c":          "<ul><li>a</li><li><strong>b</strong><ul><li>c</li></ul></li></ul>",
		"1. a\n2. `<b>`":               "<ol><li>a</li><li><code>&lt;b&gt;</code></li></ol>",
		"```\n<a>\n```":                "<pre><code>&lt;a&gt;\n</code></pre>",
		"a  \nb":                       "<p>a<br>b</p>",
		"<script>alert(1)</script>":    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
		"a <b onclick=x>b</b>":         "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>",
		"5 &lt; 6 \\* 7":               "<p>5 &lt; 6 * 7</p>",
		"![pic](https://a.example/p)":  "<p></p>",
		"[a](https://a.example/?b&c)":  `<p><a href="https://a.example/?b&amp;c" rel="nofollow noopener">a</a></p>`,
		"<ada@example.com>":            `<p><a href="mailto:ada@example.com" rel="nofollow noopener">ada@example.com</a></p>`,
		"[a](javascript:alert(1))":     "<p>a</p>",
		"[a](/console)":                "<p>a</p>",
		"[a](//evil.example)":          "<p>a</p>",
		"[a](data:text/html,x)":        "<p>a</p>",
		"[a](JaVaScRiPt&colon;x)":      "<p>a</p>",
		"[a][b]\n\n[b]: http://c.test": `<p><a href="http://c.test" rel="nofollow noopener">a</a></p>`,
	} {
		if got := string(HTML(source, 1)); got != want {
			t.Errorf("%q = %q, want %q", source, got, want)
		}
	}
}

// Nesting has an end, and what nests as deep as a text allows is read like any other.
func TestDeepNestingIsCut(t *testing.T) {
	t.Parallel()

	for _, piece := range []string{"- ", "1. ", "*a ", "[", "![", "**", "`a", "<a", "(", "\\"} {
		if got := HTML(strings.Repeat(piece, 50_000/len(piece)), 1); strings.Count(string(got), "<ul>") > deepest {
			t.Errorf("%q nests deeper than %d", piece, deepest)
		}
	}
}

var (
	tags    = regexp.MustCompile(`</?(?:p|h[2-6]|ul|ol|li|em|strong|code|pre|br)>|</a>`)
	anchors = regexp.MustCompile(`<a href="(?:https?://|mailto:)[^"<>]*" rel="nofollow noopener">`)
)

// Whatever is typed, no element and no attribute comes out that is not of the list.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"# a\n- b\n1. c\n`d` **e** _f_", "[a](https://b \"c\")", "<a href=x>", "[a](javascript:x)", "![a](b)",
		"[\"](https://a.example/\"onclick=x)", "<https://a.example/'\">", "```a\"b\n<c>\n```", "&lt;b&#60;i", "\x00<\x00",
		"[a](mailto:\"<b>)", "[a]: http://<b>\n[a]", "a\n===\n<!-- -->", "[a](http://[::1]:x)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		rest := anchors.ReplaceAllString(tags.ReplaceAllString(string(HTML(source, 1)), ""), "")
		if strings.ContainsAny(rest, "<>") {
			t.Errorf("%q leaves %q", source, rest)
		}
	})
}
