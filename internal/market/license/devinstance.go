package license

import (
	"fmt"
	"strconv"
	"strings"
)

// maxDevelopment is how many development instances a licence may have: more than
// any team needs, and an end to what somebody can make this database hold.
const maxDevelopment = 1000

// DevInstances are the names of development instances, which are free: they are
// activated and verified like others, and do not count. The zero value is none.
type DevInstances struct {
	names    map[string]bool
	suffixes []string // with the dot before them
}

// DefaultDevInstances are the names that nobody can serve the public under: those
// of RFC 6761 that people use for development.
func DefaultDevInstances() []string { return []string{"localhost", "*.localhost", "*.test"} }

// ParseDevInstances reads patterns: a host name, or "*." and one, which stands for
// every name below it. "none" alone is no pattern. It returns an error that names
// the first that cannot be read.
func ParseDevInstances(patterns []string) (DevInstances, error) {
	d := DevInstances{names: make(map[string]bool)}
	if len(patterns) == 1 && patterns[0] == "none" {
		return d, nil
	}
	for _, p := range patterns {
		name, below := strings.CutPrefix(strings.ToLower(strings.TrimSpace(p)), "*.")
		switch {
		case !hostName(name):
			return DevInstances{}, fmt.Errorf("development instances: %q is neither a host name nor *. and one", p)
		case below:
			d.suffixes = append(d.suffixes, "."+name)
		default:
			d.names[name] = true
		}
	}
	return d, nil
}

// Match reports whether an instance, in its normal form, is for development. It
// may have a port, and the dot of an absolute name at its end. What is not clearly
// a host name in ASCII is not: a name in other letters is one in its xn-- form.
func (d DevInstances) Match(instanceID string) bool {
	name := instanceID
	if host, port, ok := strings.Cut(name, ":"); ok {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || len(port) > 5 {
			return false
		}
		name = host
	}
	name = strings.TrimSuffix(name, ".")
	if !hostName(name) {
		return false
	}
	if d.names[name] {
		return true
	}
	for _, s := range d.suffixes {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// hostName reports whether s is a host name in lower case: labels of letters,
// digits, hyphens and underscores between dots.
func hostName(s string) bool {
	if len(s) > maxInstanceID {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			switch c := label[i]; {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			default:
				return false
			}
		}
	}
	return true
}
