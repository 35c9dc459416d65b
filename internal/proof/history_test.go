package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"golang.org/x/sync/errgroup"

	"stoa/internal/testkit/needtest"
)

const (
	histories  = 150 // on each engine
	clients    = 5   // of one license
	operations = 8   // of one client
	instances  = 4   // in requests

	// maxLost is how many operations of a history may be given up by their client.
	// Each may have happened at any time, and doubles the checker's work.
	maxLost = 3
)

// Two processes over one database record many short histories. The clients of a license
// send random requests to either process, and some do not wait for the answer. Each
// history must be explained by some order of its operations in which every operation
// comes before those that began after its end.
func TestHistoriesOfALicenseAreLinearizable(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "hundreds of histories of several processes")

	onBothEngines(t, func(t *testing.T, c *cluster) {
		seed, who := newSeed(t), c.people(t)
		var told tally
		var group errgroup.Group
		group.SetLimit(6)
		for i := range amount(t, histories) {
			group.Go(func() error {
				h := record(t, c, who, rand.New(rand.NewPCG(seed, uint64(i))))
				h.check(t)
				told.add(h)
				return nil
			})
		}
		_ = group.Wait() // check reports failures
		t.Log(told.String())
	})
}

// history is the requests and answers of all clients of one license.
type history struct {
	people

	maxInstances int
	license      bought
	id           string // of the license

	mu   sync.Mutex
	ops  []porcupine.Operation
	lost atomic.Int32
}

// record makes several clients use a new license at the same time, with requests drawn
// from rng.
func record(t *testing.T, c *cluster, who people, rng *rand.Rand) *history {
	h := &history{people: who, maxInstances: 1 + rng.IntN(3)}
	h.license = c.processes[rng.IntN(2)].mustBuy(t, fmt.Sprintf("seats-%d", h.maxInstances), who.owner)
	if err := c.db.QueryRowContext(t.Context(), `SELECT license_id FROM orders WHERE id = $1`,
		h.license.OrderID).Scan(&h.id); err != nil {
		t.Error(err)
		return h
	}
	began := time.Now()
	var wg sync.WaitGroup
	for client := range clients {
		rng := rand.New(rand.NewPCG(rng.Uint64(), 0))
		wg.Go(func() {
			for range operations {
				op := choose(rng)
				p := c.processes[rng.IntN(2)]
				// Draw even if not needed: the draws must not depend on the answers.
				patience := time.Duration(math.MaxInt64)
				if p, d := rng.IntN(30), rng.Int64N(int64(5*time.Millisecond)); p == 0 && h.lost.Add(1) <= maxLost {
					patience = time.Duration(d)
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				call := time.Since(began)
				out, err := h.perform(ctx, p, op)
				end := time.Since(began)
				cancel()
				if err != nil {
					if errors.Is(err, errOdd) || patience == math.MaxInt64 {
						t.Errorf("%s: %v", op.do, err)
					}
					out, end = outcome{verdict: unknown}, math.MaxInt64
				}
				h.mu.Lock()
				h.ops = append(h.ops, porcupine.Operation{
					ClientId: client, Input: op, Call: int64(call), Output: out,
					Return: int64(end),
				})
				h.mu.Unlock()
			}
		})
	}
	wg.Wait()
	return h
}

// choose returns the next operation of a client. It revokes about every other license.
func choose(rng *rand.Rand) operation {
	actions := [...]action{activate, activate, activate, activate, deactivate, free, verify, verify, verify, list}
	op := operation{do: actions[rng.IntN(len(actions))], instance: rng.IntN(instances)}
	if rng.IntN(clients*operations*3/2) == 0 {
		op.do = revoke
	}
	return op
}

// perform does an operation.
func (h *history) perform(ctx context.Context, p *process, op operation) (outcome, error) {
	key, instance := h.license.LicenseKey, instance(op.instance)
	switch op.do {
	case activate:
		return p.activate(ctx, key, instance)
	case deactivate:
		return p.deactivate(ctx, key, instance)
	case verify:
		return p.verify(ctx, key, instance)
	case free:
		return p.free(ctx, h.owner, h.id, instance)
	case list:
		return p.list(ctx, h.owner, h.id)
	case revoke:
		return p.revoke(ctx, h.admin, h.id)
	default:
		return outcome{}, fmt.Errorf("%w: unknown operation %s", errOdd, op.do)
	}
}

// patience is the time limit for the checker, which usually takes microseconds.
const patience = time.Minute

// check fails the test unless the history is linearizable.
func (h *history) check(t *testing.T) {
	t.Helper()
	model := licenseModel(h.maxInstances)
	result, info := porcupine.CheckOperationsVerbose(model, h.ops, patience)
	if result == porcupine.Ok {
		return
	}
	picture := filepath.Join(t.ArtifactDir(), "history.html")
	if err := porcupine.VisualizePath(model, info, picture); err != nil {
		t.Log(err)
	}
	t.Errorf("a history of a license with %d seats is %s, not linearizable (kept with -artifacts: %s):\n%s",
		h.maxInstances, result, picture, h)
}

// String returns the history for people, in the order in which operations began.
func (h *history) String() string {
	model := licenseModel(h.maxInstances)
	ops := slices.Clone(h.ops)
	slices.SortFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var b strings.Builder
	for _, op := range ops {
		end := "never"
		if op.Return != math.MaxInt64 {
			end = time.Duration(op.Return).String()
		}
		fmt.Fprintf(&b, "%14s to %-14s client %d  %s\n", time.Duration(op.Call), end, op.ClientId,
			model.DescribeOperation(op.Input, op.Output))
	}
	return b.String()
}

// tally counts the verdicts in histories.
type tally struct {
	mu        sync.Mutex
	histories int
	counts    map[string]int
}

func (y *tally) add(h *history) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.counts == nil {
		y.counts = make(map[string]int)
	}
	y.histories++
	for _, op := range h.ops {
		y.counts[string(op.Input.(operation).do)+" "+string(op.Output.(outcome).verdict)]++
	}
}

func (y *tally) String() string {
	var all []string
	for what, n := range y.counts {
		all = append(all, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(all)
	return fmt.Sprintf("%d histories: %s", y.histories, strings.Join(all, ", "))
}
