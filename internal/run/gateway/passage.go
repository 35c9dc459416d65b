package gateway

import (
	"net/http"
	"net/url"
	"sync"

	"stoa/internal/trust/signing"
)

// passage is what a call holds in memory on its way: 2 KiB that need not be allocated
// for each. Another call gets it when this one is over, if the runtime has said that
// nothing of it is still in use (answer.Spent).
type passage struct {
	sighting

	answer answer
	out    http.Request // what the plugin gets
	url    url.URL
	header http.Header

	values [maxContext + 4]string // of the headers that the gateway sets; 4 are none of the context
	set    int                    // of values
	signed *signedHeaders
}

// maxKept is how many headers a map may have had that is used again.
const maxKept = 64

var passages = sync.Pool{New: func() any { return &passage{header: make(http.Header, maxKept/2)} }}

func newPassage() *passage { return passages.Get().(*passage) } //nolint:forcetypeassert // nothing else is put there

// release lets another call have p.
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

// putSigned sets a context header. Calls come in the order of lower, which is name in
// lower case.
func (p *passage) putSigned(name, lower, value string) {
	p.signed.list[p.signed.n] = signing.Header{Name: lower, Value: value}
	p.signed.n++
	p.put(name, value)
}
