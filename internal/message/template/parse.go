package template

import (
	"fmt"
	"strings"

	"stoa/internal/base/errs"
)

// Limits of a text.
const (
	MaxSubject  = 200    // characters
	MaxText     = 20_000 // bytes
	maxDepth    = 8      // sections in each other
	maxRendered = 1 << 18
)

// Fault is what is wrong with a text.
type Fault struct {
	Line    int // from 1
	Code    string
	Message string
}

// tagKind is what stands at the beginning of a tag.
type tagKind byte

const (
	literal  tagKind = 0
	variable tagKind = 'v'
	section  tagKind = '#'
	inverted tagKind = '^'
	closing  tagKind = '/'
)

// token is a piece of a text: words, or a tag.
type token struct {
	kind tagKind
	text string // of a literal; else the name
	line int
}

// Parsed is a text that can be rendered.
type Parsed struct{ nodes []node }

// node is words, a variable, or a section with what is in it.
type node struct {
	token

	inner []node
}

// Parse reads a text whose variables are known. Faults are in the order of their lines; without any, the
// text can be rendered.
func Parse(text string, known func(name string) bool) (Parsed, []Fault) {
	tokens, faults := scan(text)
	p := parser{tokens: tokens, known: known, faults: faults}
	nodes := p.read(token{}, 0)
	return Parsed{nodes}, p.faults
}

// scan cuts a text into tokens. A line that has nothing but the tag of a section is no line of the mail.
func scan(text string) (tokens []token, faults []Fault) {
	for number, line := range strings.SplitAfter(text, "\n") {
		found, fault := scanLine(line, number+1)
		if fault != "" {
			faults = append(faults, Fault{number + 1, errs.CodeInvalid, fault})
		}
		if tag, ok := alone(found); ok && tag.kind != variable {
			found = []token{tag}
		}
		tokens = append(tokens, found...)
	}
	return tokens, faults
}

// alone returns the only tag of a line that has nothing else but space.
func alone(line []token) (tag token, ok bool) {
	for _, t := range line {
		switch {
		case t.kind == literal && strings.TrimSpace(t.text) == "":
		case t.kind == literal || ok:
			return token{}, false
		default:
			tag, ok = t, true
		}
	}
	return tag, ok
}

// scanLine cuts a line into tokens. fault says what is wrong with a tag, after which the line is not read.
func scanLine(line string, number int) (tokens []token, fault string) {
	for line != "" {
		words, rest, found := strings.Cut(line, "{{")
		if words != "" {
			tokens = append(tokens, token{literal, words, number})
		}
		if !found {
			return tokens, ""
		}
		inside, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return tokens, `a tag that begins with "{{" needs its "}}" on the same line`
		}
		tag := token{variable, strings.TrimSpace(inside), number}
		if tag.text != "" && strings.ContainsRune("#^/", rune(tag.text[0])) {
			tag.kind, tag.text = tagKind(tag.text[0]), strings.TrimSpace(tag.text[1:])
		}
		if !isName(tag.text) {
			return tokens,
				fmt.Sprintf("{{%.40s}} is no variable: only {{name}}, {{#name}}, {{^name}} and {{/name}} are known", inside)
		}
		tokens, line = append(tokens, tag), after
	}
	return tokens, ""
}

func isName(name string) bool {
	if name == "" || len(name) > 40 {
		return false
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// parser turns tokens into nodes.
type parser struct {
	tokens []token
	known  func(string) bool
	faults []Fault
}

func (p *parser) fault(line int, code, format string, args ...any) {
	p.faults = append(p.faults, Fault{line, code, fmt.Sprintf(format, args...)})
}

// read returns the nodes up to the tag that closes the section open, or to the end if its kind is literal.
func (p *parser) read(open token, depth int) (nodes []node) {
	for len(p.tokens) > 0 {
		t := p.tokens[0]
		p.tokens = p.tokens[1:]
		if t.kind != literal && t.kind != closing && !p.known(t.text) {
			p.fault(t.line, errs.CodeUnknownValue, "{{%s}} is not among the variables of this mail", t.text)
		}
		switch t.kind {
		case closing:
			if open.kind != literal && open.text == t.text {
				return nodes
			}
			p.fault(t.line, errs.CodeInvalid, "{{/%s}} closes no section", t.text)
		case section, inverted:
			if depth == maxDepth {
				p.fault(t.line, errs.CodeInvalid, "sections can be %d deep at most", maxDepth)
			}
			n := node{token: t}
			if depth <= maxDepth {
				n.inner = p.read(t, depth+1)
			}
			nodes = append(nodes, n)
		case literal, variable:
			nodes = append(nodes, node{token: t})
		}
	}
	if open.kind != literal {
		p.fault(open.line, errs.CodeInvalid, "the section {{%c%s}} needs {{/%s}} after it", open.kind, open.text, open.text)
	}
	return nodes
}

// Render returns the text with values in place of its variables. A variable without a value is empty. ok
// is false if the text would be too long for a mail.
func (p Parsed) Render(values map[string]string) (text string, ok bool) {
	var b strings.Builder
	ok = render(&b, p.nodes, values)
	return b.String(), ok
}

func render(b *strings.Builder, nodes []node, values map[string]string) bool {
	for _, n := range nodes {
		value := values[n.text]
		switch n.kind {
		case literal:
			b.WriteString(n.text)
		case variable:
			b.WriteString(value)
		case section, inverted:
			if (value != "") == (n.kind == section) && !render(b, n.inner, values) {
				return false
			}
		case closing: // is no node
		}
		if b.Len() > maxRendered {
			return false
		}
	}
	return true
}

// uses reports whether a variable is shown anywhere in the nodes.
func uses(nodes []node, name string) bool {
	for _, n := range nodes {
		if n.kind == variable && n.text == name || uses(n.inner, name) {
			return true
		}
	}
	return false
}
