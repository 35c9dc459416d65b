package remote

import (
	"context"
	"net/netip"
)

// Refresh is one check of a market with what is held of it.
func Refresh(ctx context.Context, s *Service, address string, held Files) bool {
	c := &client{
		fetcher: s.Fetcher, market: Market{URL: address}, files: held, now: s.now(), products: []string{"mail-courier"},
	}
	return c.refresh(ctx) == nil
}

// Address is parseAddress.
func Address(text string) (string, bool) {
	address, faults := parseAddress(text)
	return address, faults.Err() == nil
}

// PlainDial is what the guard of connections without TLS says of an address.
func PlainDial(address string, allow ...netip.Prefix) error {
	return onlyLoopback(allow)("tcp", address, nil)
}
