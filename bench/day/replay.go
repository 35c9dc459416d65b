package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// maxInFlight is how many requests wait for their answers at once at most. What comes
// meanwhile waits, and its time counts from when it came.
const maxInFlight = 256

// hours is how a day's requests are spread over its hours: 100 is the average.
var hours = [24]int{
	35, 25, 20, 20, 25, 40, 60, 85, 110, 125, 130, 130, 125, 130, 130, 130, 130, 135, 150, 175, 190, 160, 95, 45,
}

// arrival is a request that somebody will make.
type arrival struct {
	at time.Duration
	op int
}

// arrivals draws a day of the given length.
func arrivals(o options, list []operation) (all []arrival) {
	draw := rand.New(rand.NewPCG(o.seed, 0)) //nolint:gosec // load, no secret
	total := 0
	for _, share := range hours {
		total += share
	}
	hour := o.length / time.Duration(len(hours))
	for op := range list {
		for range list[op].perDay * o.shops {
			at, in := draw.IntN(total), 0
			for at >= hours[in] {
				at -= hours[in]
				in++
			}
			all = append(all, arrival{time.Duration(in)*hour + time.Duration(draw.Int64N(int64(hour))), op})
		}
	}
	slices.SortFunc(all, func(a, b arrival) int { return int(a.at - b.at) })
	return all
}

// seen is what came of the requests of one hour or operation.
type seen struct {
	took   []float64 // ms
	failed int
}

func (s *seen) add(took time.Duration, err error) {
	s.took = append(s.took, took.Seconds()*1e3)
	if err != nil {
		s.failed++
	}
}

// at returns the time in ms that a share of the requests took at most.
func (s *seen) at(share float64) float64 {
	if len(s.took) == 0 {
		return 0
	}
	slices.Sort(s.took)
	return s.took[int(share*float64(len(s.took)-1))]
}

// day replays a day, and shows its hours, its operations and what they used.
func day(ctx context.Context, o options, s *shop) error {
	list := s.people.operations()
	all := arrivals(o, list)
	before, err := s.usage(ctx)
	if err != nil {
		return err
	}
	var byHour [len(hours)]seen
	byOp := make([]seen, len(list))
	first := replay(ctx, all, list, func(a arrival, took time.Duration, err error) {
		byHour[int(a.at)*len(hours)/int(o.length)].add(took, err)
		byOp[a.op].add(took, err)
	})
	time.Sleep(afterwards)
	after, err := s.usage(ctx)
	if err != nil {
		return err
	}
	used := after.minus(before)
	fmt.Printf("\n%d × a day in %s, replicas: %d, requests: %d, seed %d\n", o.shops, o.length, len(s.replicas), len(all),
		o.seed)
	fmt.Print("\n| Hour | requests/s | p50 ms | p99 ms | failed |\n|---|---|---|---|---|\n")
	for i := range byHour {
		if i%4 == 0 || hours[i] == slices.Max(hours[:]) {
			show(fmt.Sprintf("%02d:00 | %.0f", i, float64(len(byHour[i].took)*len(hours))/o.length.Seconds()), &byHour[i])
		}
	}
	fmt.Print("\n| Operation | requests | p50 ms | p99 ms | failed |\n|---|---|---|---|---|\n")
	for i := range byOp {
		show(fmt.Sprintf("%s | %d", list[i].name, len(byOp[i].took)), &byOp[i])
	}
	fmt.Printf("\nProcessor time: %.1f s of stoa, %.1f s of the database server. %d rows, %.1f MB.\n",
		used.stoa.Seconds(), used.database.Seconds(), used.rows, float64(used.bytes)/1e6)
	if first != nil {
		fmt.Println("The first failure:", first)
	}
	return ctx.Err()
}

func show(name string, s *seen) {
	fmt.Printf("| %s | %.2f | %.2f | %d |\n", name, s.at(0.5), s.at(0.99), s.failed)
}

// replay makes the requests when they are due, tells what came of each, and returns the
// first failure.
func replay(ctx context.Context, all []arrival, list []operation, tell func(arrival, time.Duration, error)) error {
	var (
		mu      sync.Mutex
		first   error
		running sync.WaitGroup
		free    = make(chan struct{}, maxInFlight)
		begin   = time.Now()
	)
	for _, a := range all {
		due := begin.Add(a.at)
		select {
		case <-time.After(time.Until(due)):
		case <-ctx.Done():
			running.Wait()
			return ctx.Err()
		}
		free <- struct{}{}
		running.Go(func() {
			err := list[a.op].do(ctx)
			<-free
			mu.Lock()
			defer mu.Unlock()
			tell(a, time.Since(due), err)
			if first == nil {
				first = err
			}
		})
	}
	running.Wait()
	return first
}
