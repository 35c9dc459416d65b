package remote

import "context"

// Refresh is one check of a market with what is held of it.
func Refresh(ctx context.Context, s *Service, address string, held Files) bool {
	c := &client{fetcher: s.Fetcher, market: Market{URL: address}, files: held, now: s.now(), product: "mail-courier"}
	return c.refresh(ctx) == nil
}

// Address is parseAddress.
func Address(text string) (string, bool) {
	address, faults := parseAddress(text)
	return address, faults.Err() == nil
}
