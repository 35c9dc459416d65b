package license

import (
	"fmt"
	"strconv"
	"strings"
)

// CONTRACT 3: for each seat of its own, a license may have as many development
// instances, and each activated domain as many staging addresses.
const (
	developmentPerSeat = 5
	stagingPerSeat     = 2
)

// DevInstances are the names of development instances, which are free: they are
// activated and verified like others, and do not count. The zero value is none.
type DevInstances struct {
	names    map[string]bool
	suffixes []string // with the dot before them
	staging  bool     // addresses below an activated domain count, too
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
	d.staging = true
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
	name, ok := hostOf(instanceID)
	if !ok {
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

// StagingOf returns the domain that an instance, in its normal form, is a staging
// address of: what follows staging., dev. or test. Whether that is activated is
// for the caller to find out. Its port and the dot at its end do not matter, so
// that all its spellings count for one domain.
func (d DevInstances) StagingOf(instanceID string) (domain string, ok bool) {
	name, ok := hostOf(instanceID)
	if !ok || !d.staging {
		return "", false
	}
	label, domain, _ := strings.Cut(name, ".")
	switch label {
	case "staging", "dev", "test":
		return domain, isDomain(domain)
	}
	return "", false
}

// isDomain reports whether a host name has a name under a top-level domain: an
// address such as 10.0.0.1 and a name such as com have not.
func isDomain(name string) bool {
	top := name[strings.LastIndexByte(name, '.')+1:]
	return len(top) < len(name) && strings.Trim(top, "0123456789") != ""
}

// hostOf returns the host name of an instance, without a port and the dot of an
// absolute name at its end, and false if the instance is not clearly one.
func hostOf(instanceID string) (name string, ok bool) {
	name, port, hasPort := strings.Cut(instanceID, ":")
	if hasPort {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || len(port) > 5 {
			return "", false
		}
	}
	name = strings.TrimSuffix(name, ".")
	return name, hostName(name)
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
