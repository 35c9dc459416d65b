package template

import (
	"slices"
	"strings"
)

// place is what may stand on a line of a mail so far, whichever of its sections are shown.
type place struct {
	words   bool    // anything but space and secrets
	secrets []token // variables that are secrets
}

// and returns what may stand there if either may.
func (p place) and(other place) place {
	p.words = p.words || other.words
	p.secrets = slices.Clone(p.secrets)
	for _, s := range other.secrets {
		if !slices.Contains(p.secrets, s) {
			p.secrets = append(p.secrets, s)
		}
	}
	return p
}

// joinable returns the secrets that can have company on their line of the mail, in the order of their lines. It looks
// at what can be rendered and not at the lines of the text: a section that is left out takes its line feeds with it.
func joinable(nodes []node) []token {
	var joined []token
	walkLines(nodes, place{}, &joined)
	slices.SortStableFunc(joined, func(a, b token) int { return a.line - b.line })
	return slices.Compact(joined)
}

// walkLines returns what may stand on the last line after nodes that begin at a place, and adds the secrets that have
// company.
func walkLines(nodes []node, at place, joined *[]token) place {
	for _, n := range nodes {
		switch {
		case n.kind == section || n.kind == inverted:
			at = at.and(walkLines(n.inner, at, joined))
		case n.kind == variable && secret(n.text):
			if at.words || len(at.secrets) > 0 {
				*joined = append(append(*joined, at.secrets...), n.token)
			}
			at = at.and(place{secrets: []token{n.token}})
		case n.kind == variable:
			*joined = append(*joined, at.secrets...)
			at.words = true
		default: // words, whose only line feed is their last character
			if strings.TrimSpace(n.text) != "" {
				*joined = append(*joined, at.secrets...)
				at.words = true
			}
			if strings.HasSuffix(n.text, "\n") {
				at = place{}
			}
		}
	}
	return at
}
