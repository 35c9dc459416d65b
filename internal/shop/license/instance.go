package license

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stoa/internal/base/text"
)

// Activation is an instance that uses a license.
type Activation struct {
	InstanceID string
	// Development instances take no seat. Whether an instance is one is decided when it is activated.
	Development bool
	// StagingOf is the domain of which a development instance is a staging address.
	StagingOf string
	At        time.Time
}

// maxInstanceID is the maximum length of an instance id in characters: that of a domain name
// (contract 3.9).
const maxInstanceID = 253

// normalInstanceID returns the form in which an instance id is stored and counted, and false if s is
// not an instance id.
func normalInstanceID(s string) (string, bool) {
	trimmed := strings.TrimSpace(s)
	// Checked before lower-casing, which would hide invalid UTF-8.
	if trimmed == "" || !text.Printable(trimmed, maxInstanceID) {
		return "", false
	}
	// Browsers remove these two from addresses, even percent-encoded: nobody could deactivate such an
	// instance (WHATWG URL, single- and double-dot segments).
	if trimmed == "." || trimmed == ".." {
		return "", false
	}
	return strings.ToLower(trimmed), true
}

// For each seat of its own, a license may have as many development instances, and each activated domain
// as many staging addresses (contract 3.10).
const (
	developmentPerSeat = 5
	stagingPerSeat     = 2
)

// DevInstances is the set of names of development instances. These are activated and verified like
// others but take no seat. The zero value is the empty set.
type DevInstances struct {
	names    map[string]bool
	suffixes []string // each with its leading dot
	staging  bool     // staging addresses of activated domains count too
}

// DefaultDevInstances returns the names of RFC 6761 that developers use. None of them can serve the
// public.
func DefaultDevInstances() []string { return []string{"localhost", "*.localhost", "*.test"} }

// ParseDevInstances reads patterns. A pattern is a host name, or "*." and a host name for every name
// below it. The single pattern "none" gives the empty set. The error names the first bad pattern.
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
			return DevInstances{}, fmt.Errorf(
				`development instances: %q is neither a host name nor "*." and a host name`, p)
		case below:
			d.suffixes = append(d.suffixes, "."+name)
		default:
			d.names[name] = true
		}
	}
	return d, nil
}

// Match reports whether an instance, in its normal form, is a development instance. The id may have a
// port, and the trailing dot of an absolute name. It must be a host name in ASCII; an
// internationalized name matches in its xn-- form only.
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
// address such as 10.0.0.1 and a name such as com have none.
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

// hostName reports whether s is a host name in lower case: labels of letters, digits, hyphens and
// underscores, separated by dots.
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
