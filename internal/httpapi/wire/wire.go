// Package wire has the JSON forms of what more than one room of the API shows:
// users, products, instances that use licenses, orders, reviews and public keys.
// What only one room shows is declared there.
package wire

import (
	"stoa/internal/httpapi/web"
	"stoa/internal/market"
)

// Slice returns the part of a list of package market that a request asks for.
func Slice(p web.Page) market.Slice { return market.Slice{Offset: p.Offset(), Limit: p.Limit} }
