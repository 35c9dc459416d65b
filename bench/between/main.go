// Command between measures what two stoas do with each other: how much the polls of many stoas cost the
// market that they ask, and how long it takes from a payment on one to the first answer of the bought
// plugin on the other (bench/README.md).
//
// It starts bin/stoa itself, several times, in a temporary folder and on loopback, and ends what it started.
package main

import (
	"context"
	"flag"
	"time"

	"stoa/bench/measure"
)

func main() {
	purchases := flag.Int("purchases", 20, "how many plugins are bought, one after another")
	measure.Main(20*time.Minute, func(ctx context.Context, o measure.Options, dir string) ([]measure.Row, error) {
		m, err := startMarket(ctx, o, dir, *purchases)
		if err != nil {
			return nil, err
		}
		defer m.Stop() //nolint:errcheck // nothing of it is needed any more
		var table []measure.Row
		if o.Only == "" || o.Only == "polls" {
			row, err := polls(ctx, o, m)
			if err != nil {
				return nil, err
			}
			table = append(table, row)
		}
		if o.Only == "" || o.Only == "buy" {
			if err := buy(ctx, o, dir, m); err != nil {
				return nil, err
			}
		}
		return table, nil
	})
}
