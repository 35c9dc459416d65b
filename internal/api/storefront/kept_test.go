package storefront

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"stoa/internal/shop/catalog"
)

// drawing returns a render that counts its calls, and what it draws.
func drawing(drawn *atomic.Int32, text string, oneOfMany bool) render {
	return func(context.Context, key) (rendering, error) {
		drawn.Add(1)
		return rendering{html: []byte(text), oneOfMany: oneOfMany}, nil
	}
}

func mustGet(tb testing.TB, c *Kept, k key, now catalog.Generation, draw render) string {
	tb.Helper()
	page, err := c.get(tb.Context(), k, now, draw)
	if err != nil {
		tb.Fatal(err)
	}
	return string(page.Body)
}

func TestAPageIsRenderedOnceForEachGeneration(t *testing.T) {
	t.Parallel()

	c := NewKept()
	var drawn atomic.Int32
	for i, step := range []struct {
		k    key
		now  catalog.Generation
		text string
		want string // what was drawn before, or text
	}{
		{key{kind: appPage}, catalog.Generation{Number: 1}, "app", "app"},
		{key{kind: appPage}, catalog.Generation{Number: 1}, "app again", "app"},
		{key{kind: productPage, slug: "a"}, catalog.Generation{Number: 1}, "a", "a"},
		{key{kind: productPage, slug: "a", reviews: 2}, catalog.Generation{Number: 1}, "a, more", "a, more"},
		{key{kind: productPage, slug: "a"}, catalog.Generation{Number: 1}, "a again", "a"},
		{key{kind: productPage, slug: "a"}, catalog.Generation{Number: 1, Downloads: 1}, "a, bought", "a, bought"},
		{key{kind: productPage, slug: "a"}, catalog.Generation{Number: 2, Downloads: 1}, "a, edited", "a, edited"},
		{key{kind: productPage, slug: "a"}, catalog.Generation{Number: 1}, "a restored", "a restored"},
		{key{kind: appPage}, catalog.Generation{Number: 1}, "app again", "app"},
		{key{kind: appPage, language: "de"}, catalog.Generation{Number: 1}, "app, German", "app, German"},
		{key{kind: appPage, language: "de", named: true}, catalog.Generation{Number: 1}, "app, named", "app, named"},
		{key{kind: appPage, language: "de"}, catalog.Generation{Number: 1}, "app again", "app, German"},
	} {
		before := drawn.Load()
		got := mustGet(t, c, step.k, step.now, drawing(&drawn, step.text, false))
		if got != step.want || (drawn.Load() > before) != (step.want == step.text) {
			t.Errorf("%d: %q, drawn %d times, want %q", i, got, drawn.Load()-before, step.want)
		}
	}
}

// After a change, everybody asks for the front page at once.
func TestCallersAtTheSameTimeShareARendering(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		c, goOn := NewKept(), make(chan struct{})
		var drawn atomic.Int32
		slow := func(ctx context.Context, _ key) (rendering, error) {
			drawn.Add(1)
			<-goOn
			return rendering{html: []byte("page")}, ctx.Err()
		}
		first, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		ask := func(ctx context.Context, want error) {
			all.Go(func() {
				page, err := c.get(ctx, key{}, catalog.Generation{}, slow)
				if !errors.Is(err, want) || want == nil && string(page.Body) != "page" {
					t.Errorf("got %q, %v; want %v", page.Body, err, want)
				}
			})
		}
		ask(first, nil)
		synctest.Wait() // it renders
		for range 9 {
			ask(t.Context(), nil)
		}
		impatient, give := context.WithCancel(t.Context())
		ask(impatient, context.Canceled)
		synctest.Wait() // they wait
		leave()         // which does not end what the others wait for
		give()
		synctest.Wait()
		close(goOn)
		all.Wait()
		if n := drawn.Load(); n != 1 {
			t.Errorf("drawn %d times, want once", n)
		}
	})
}

func TestAFailedRenderingIsNotKept(t *testing.T) {
	t.Parallel()

	c, failure := NewKept(), errors.New("no database")
	_, err := c.get(t.Context(), key{}, catalog.Generation{}, func(context.Context, key) (rendering, error) {
		return rendering{}, failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("get = %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = c.get(t.Context(), key{}, catalog.Generation{}, func(context.Context, key) (rendering, error) { panic("oops") })
		t.Error("the panic is lost")
	}()
	var drawn atomic.Int32
	if got := mustGet(t, c, key{}, catalog.Generation{}, drawing(&drawn, "page", false)); got != "page" {
		t.Errorf("after the failures: %q", got)
	}
}

// However many searches somebody makes up, memory is bounded, and the pages that everybody visits stay.
func TestForgedSearchesEvictOneAnotherOnly(t *testing.T) {
	t.Parallel()

	const size = 20_000
	c, text := NewKept(), strings.Repeat("<p>x</p>", size/8)
	var front, forged, pages atomic.Int32
	mustGet(t, c, key{}, catalog.Generation{}, drawing(&front, text, false))
	for i := range 2 * oneOfManyBytes / size {
		q := catalog.ListQuery{Search: fmt.Sprint("forged ", i), Page: 1}
		mustGet(t, c, key{query: q}, catalog.Generation{}, drawing(&forged, text, true))
	}
	mustGet(t, c, key{}, catalog.Generation{}, drawing(&front, text, false))
	if kept, many := c.Counts(); front.Load() != 1 || kept != 1 || many == 0 || many*size > oneOfManyBytes {
		t.Errorf("front page drawn %d times; %d pages and %d searches are kept", front.Load(), kept, many)
	}
	for i := range 2 * keptBytes / size {
		mustGet(t, c, key{kind: productPage, slug: fmt.Sprint("p", i)}, catalog.Generation{}, drawing(&pages, text, false))
		mustGet(t, c, key{}, catalog.Generation{}, drawing(&front, text, false))
	}
	if kept, _ := c.Counts(); front.Load() != 1 || kept*size > keptBytes {
		t.Errorf("front page drawn %d times; %d pages are kept", front.Load(), kept)
	}
}
