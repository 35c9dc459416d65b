package storefront

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/base/cache"
	"stoa/internal/shop/catalog"
)

// Bounds of Kept, in bytes. A page of the catalog takes about 25 KB, compressed form included.
const (
	keptBytes      = 32 << 20
	oneOfManyBytes = 4 << 20
)

// renderLimit bounds the rendering of a page, questions to the database included.
const renderLimit = 30 * time.Second

// Kept keeps rendered pages, each with its generation, and renders a page of which callers ask at the
// same time once. NewKept makes one. It is safe for concurrent use.
//
// Pages of which a client can ask for any number, such as searches, are kept apart: forged ones evict
// one another and nothing else.
type Kept struct {
	pages     *cache.Sized[key, dated]
	oneOfMany *cache.Sized[key, dated]

	mu      sync.Mutex
	running map[flight]*landing
}

// key is what a page is of. Its zero fields are those that its kind does not have.
type key struct {
	kind kind

	query   catalog.ListQuery // of a catalogPage
	slug    string            // of a productPage or a checkoutPage
	reviews int               // the page of the reviews of a productPage
	tier    string            // of a checkoutPage
	payment string            // of an orderPage: "success", "cancelled" or ""

	language string // the one that the request named; empty: that of the shop
	named    bool   // in its address, which the page repeats
}

type kind int

const (
	catalogPage kind = iota
	productPage
	checkoutPage
	appPage
	orderPage
	missingPage
)

// dated is a page and the generation that was the present one before it was rendered.
type dated struct {
	web.File

	of catalog.Generation
}

// rendering is a page that was just rendered.
type rendering struct {
	html      []byte
	oneOfMany bool // a client can ask for any number of such pages
}

// render renders the page of k.
type render func(ctx context.Context, k key) (rendering, error)

// flight is a rendering that goes on, and landing how it ends.
type flight struct {
	key key
	of  catalog.Generation
}

type landing struct {
	done chan struct{} // closed when page and err are set
	page web.File
	err  error
}

// NewKept returns a Kept without pages.
func NewKept() *Kept {
	return &Kept{
		pages:     cache.NewSized[key, dated](keptBytes),
		oneOfMany: cache.NewSized[key, dated](oneOfManyBytes),
		running:   make(map[flight]*landing),
	}
}

// get returns the page of k as of the generation now, which the caller has just read.
func (c *Kept) get(ctx context.Context, k key, now catalog.Generation, draw render) (web.File, error) {
	if page, ok := c.find(k, now); ok {
		return page, nil
	}
	f := flight{k, now}
	c.mu.Lock()
	if l, ok := c.running[f]; ok {
		c.mu.Unlock()
		select {
		case <-l.done:
			return l.page, l.err
		case <-ctx.Done():
			return web.File{}, ctx.Err()
		}
	}
	if page, ok := c.find(k, now); ok { // it landed meanwhile
		c.mu.Unlock()
		return page, nil
	}
	l := &landing{done: make(chan struct{}), err: errNotRendered}
	c.running[f] = l
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.running, f)
		c.mu.Unlock()
		close(l.done)
	}()
	l.page, l.err = c.render(ctx, f, draw)
	return l.page, l.err
}

// errNotRendered is what others who waited get if the rendering panics.
var errNotRendered = errors.New("storefront: a page was not rendered")

func (c *Kept) find(k key, now catalog.Generation) (web.File, bool) {
	page, ok := c.pages.Get(k)
	if !ok {
		page, ok = c.oneOfMany.Get(k)
	}
	return page.File, ok && page.of == now
}

// render renders a page and keeps it.
func (c *Kept) render(ctx context.Context, f flight, draw render) (web.File, error) {
	// Others wait for the page too: it must not end with this caller.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renderLimit)
	defer cancel()
	made, err := draw(ctx, f.key)
	if err != nil {
		return web.File{}, err
	}
	page := web.NewPage(made.html)
	k := f.key.own()
	pages := c.pages
	if made.oneOfMany {
		pages = c.oneOfMany
	}
	pages.Put(k, dated{page, f.of}, page.Size()+k.size())
	return page, nil
}

// own returns k with memory of its own: the client's words are a part of a whole request, which would
// stay in memory with them.
func (k key) own() key {
	k.query.Search, k.query.Category = strings.Clone(k.query.Search), strings.Clone(k.query.Category)
	k.query.Sort = catalog.Sort(strings.Clone(string(k.query.Sort)))
	k.slug, k.tier = strings.Clone(k.slug), strings.Clone(k.tier)
	k.payment = strings.Clone(k.payment)
	return k
}

// size returns roughly how many bytes of memory k takes, with what the cache keeps beside it.
func (k key) size() int {
	const fixed = 768
	return fixed + len(k.query.Search) + len(k.query.Category) + len(k.slug) + len(k.tier)
}
