package gateway

import (
	"net/http"
	"net/url"
	"sync"

	"stoa/internal/trust/signing"
)

// passage holds the state of one call: 2 KiB, pooled, because allocating it for each call would
// cost too much. It returns to the pool when the call is over and the runtime has reported that
// it uses none of it any longer (answer.Spent).
type passage struct {
	sighting

	answer answer
	out    http.Request // the plugin's
	url    url.URL
	header http.Header

	values [maxContext + 4]string // of the headers that the gateway sets: the context's and 4 more
	set    int                    // how many values are in use
	signed *signedHeaders
}

// maxKept is the largest header map that is reused.
const maxKept = 64

var passages = sync.Pool{New: func() any { return &passage{header: make(http.Header, maxKept/2)} }}

func newPassage() *passage { return passages.Get().(*passage) } //nolint:forcetypeassert // nothing else is put there

// release returns p to the pool, unless its header map has grown too large.
func (p *passage) release() {
	if len(p.header) > maxKept {
		return
	}
	clear(p.header)
	*p = passage{header: p.header} // no token stays in memory
	passages.Put(p)
}

// put sets a header of the plugin's request.
func (p *passage) put(name, value string) {
	p.values[p.set] = value
	p.set++
	p.header[name] = p.values[p.set-1 : p.set : p.set]
}

// putSigned sets a context header. lower is name in lower case; callers add headers in the
// order of lower.
func (p *passage) putSigned(name, lower, value string) {
	p.signed.list[p.signed.n] = signing.Header{Name: lower, Value: value}
	p.signed.n++
	p.put(name, value)
}
