package proof

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"stoa/internal/testkit/needtest"
)

// On each engine, two processes get more than 10,000 activations. Thirty instances race
// for the seats of each license, through either process, some of them twice. Exactly as
// many get a seat as there are, and the database agrees with the answers.
func TestNoRaceGivesAwayOneSeatTooMany(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "thousands of activations race")

	const contenders, twice = 30, 5
	onBothEngines(t, func(t *testing.T, c *cluster) {
		seed := newSeed(t)
		licenses := amount(t, 300)
		var tally struct {
			sync.Mutex
			activations, granted, refused int
		}
		var races errgroup.Group
		races.SetLimit(4)
		for i := range licenses {
			races.Go(func() error {
				rng := rand.New(rand.NewPCG(seed, uint64(i)))
				seats := 1 + rng.IntN(4)
				key := c.processes[i%2].mustBuy(t, fmt.Sprintf("seats-%d", seats), "").LicenseKey
				order := rng.Perm(contenders + twice) // decides who asks which process
				outcomes := make([]outcome, len(order))
				var wg sync.WaitGroup
				gate := make(chan struct{})
				for n, who := range order {
					wg.Go(func() {
						<-gate
						var err error
						if outcomes[n], err = c.processes[n%2].activate(t.Context(), key, instance(who%contenders)); err != nil {
							t.Error(err)
						}
					})
				}
				close(gate)
				wg.Wait()

				winners := make(map[string]bool)
				tally.Lock()
				defer tally.Unlock()
				tally.activations += len(order)
				for n, who := range order {
					switch o := outcomes[n]; o.verdict {
					case granted:
						tally.granted++
						winners[instance(who%contenders)] = true
						if o.seats < 1 || o.seats > seats {
							t.Errorf("an answer claims that %d of %d seats are taken", o.seats, seats)
						}
					case full:
						tally.refused++
					default:
						t.Errorf("activate = %+v", o)
					}
				}
				if len(winners) != seats {
					t.Errorf("%d instances got one of %d seats", len(winners), seats)
				}
				for who := range contenders {
					o, err := c.processes[who%2].verify(t.Context(), key, instance(who))
					if err != nil || (o.verdict == granted) != winners[instance(who)] {
						t.Errorf("%s may use the license: %v, %v; was told so: %v", instance(who), o, err, winners[instance(who)])
					}
				}
				return nil
			})
		}
		if err := races.Wait(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d activations of %d licenses: %d granted, %d refused", tally.activations, licenses, tally.granted,
			tally.refused)
		if want := amount(t, 10_000); tally.activations < want {
			t.Errorf("%d activations, want %d at least", tally.activations, want)
		}
		if n := c.number(t, `
			SELECT count(*) FROM licenses l
			WHERE max_instances <> (SELECT count(*) FROM license_instances i WHERE i.license_id = l.id)`); n != 0 {
			t.Errorf("the database has %d licenses with another number of instances than was sold", n)
		}
	})
}

// instance returns the id of an instance.
func instance(n int) string { return fmt.Sprintf("i%d.example", n) }
