package theme

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// visitorLife is how long a theme app may call stoa on behalf of a visitor, from the
// visitor's request on.
const visitorLife = 5 * time.Minute

// sealedVisitor is what visitors are bound to instead of a row.
const sealedVisitor = "visitor"

// SealVisitor returns a text that tells stoa, and nobody else, the address of a visitor.
// A theme app gets it with the visitor's request and sends it along with its own calls.
func (s *Service) SealVisitor(addr netip.Addr) string {
	end := strconv.FormatInt(s.Now().Add(visitorLife).Unix(), 10)
	return s.Visitors.Seal([]byte(end+" "+addr.String()), sealedVisitor)
}

// Visitor returns the address that SealVisitor sealed. ok is false unless token is that of
// an installed theme app, and the text is not too old.
func (s *Service) Visitor(ctx context.Context, token, sealed string) (addr netip.Addr, ok bool, err error) {
	plain, err := s.Visitors.Open(sealed, sealedVisitor)
	if err != nil {
		return netip.Addr{}, false, nil //nolint:nilerr // a text that is not ours says nothing
	}
	end, text, _ := strings.Cut(string(plain), " ")
	until, err1 := strconv.ParseInt(end, 10, 64)
	addr, err2 := netip.ParseAddr(text)
	if err1 != nil || err2 != nil || s.Now().Unix() >= until {
		return netip.Addr{}, false, nil //nolint:nilerr // the same
	}
	ok, err = s.IsAppToken(ctx, token)
	return addr, ok, err
}
