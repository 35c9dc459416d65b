package plugincall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	rawPath  = "/api/v1/shop/plugins/raw"
	smuggled = "GET " + rawPath + "/api/smuggled HTTP/1.1\r\nHost: HOST\r\n\r\n"
	lastOne  = "GET /livez HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
)

// post is a request with these header lines and what follows them.
func post(lines, rest string) string {
	return "POST " + rawPath + "/api/x HTTP/1.1\r\nHost: HOST\r\n" + lines + "\r\n" + rest
}

func sized(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }

const (
	isChunked = "Transfer-Encoding: chunked\r\n"
	// The length continues on a line of its own, and net/http joins the two.
	foldedLength = "GET /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length:\r\n 0\r\n\r\n"
	oneChunk     = "5\r\nhello\r\n0\r\n\r\n"
)

// Each row is a request that two servers might read differently, with a request inside of
// what one of them takes for the body. Refused means that nothing reaches the plugin and
// that stoa reads nothing after it; otherwise one request arrives.
var attacks = map[string]struct {
	sent    string
	refused bool
}{
	"a length":                     {post(sized(len(smuggled)), smuggled) + lastOne, false},
	"chunks":                       {post(isChunked, oneChunk) + lastOne, false},
	"both lengths":                 {post(sized(5)+isChunked, oneChunk+smuggled), true},
	"both lengths, in other order": {post(isChunked+sized(5), oneChunk+smuggled), true},
	"both, the coding folded":      {post(sized(5)+"Transfer-Encoding:\r\n chunked\r\n", oneChunk+smuggled), true},
	"both, after a folded length":  {foldedLength + post(sized(5)+isChunked, oneChunk+smuggled), true},
	"both, behind a folded line": {post("X: a\r\n Content-Length: 500\r\n", "") + post(sized(5)+isChunked,
		oneChunk+smuggled), true},
	"both, behind another header":   {post("X: a\r\n"+sized(5)+"tRANSFER-eNCODING:chunked\r\n", oneChunk+smuggled), true},
	"both, named by Connection":     {post("Connection: Content-Length\r\n"+sized(5)+isChunked, oneChunk+smuggled), true},
	"two lengths":                   {post(sized(5)+sized(0), "hello"+smuggled), true},
	"two equal lengths":             {post(sized(5)+sized(5), "hello") + lastOne, false},
	"a list of lengths":             {post("Content-Length: 5, 5\r\n", "hello"+smuggled), true},
	"a length with a sign":          {post("Content-Length: +5\r\n", "hello"+smuggled), true},
	"a negative length":             {post("Content-Length: -1\r\n", smuggled), true},
	"a length in hex":               {post("Content-Length: 0x5\r\n", "hello"+smuggled), true},
	"a length with an underscore":   {post("Content-Length: 1_0\r\n", "hello"+smuggled), true},
	"a huge length":                 {post("Content-Length: 99999999999999999999\r\n", smuggled), true},
	"an empty length":               {post("Content-Length:\r\n", smuggled), true},
	"a blank before the colon":      {post("Content-Length : 5\r\n", "hello"+smuggled), true},
	"a blank before the other":      {post(sized(5)+"Transfer-Encoding : chunked\r\n", oneChunk+smuggled), true},
	"a tab before the colon":        {post("Transfer-Encoding\t: chunked\r\n", oneChunk+smuggled), true},
	"a control in a name":           {post("Content-Length\x0b: 5\r\n", "hello"+smuggled), true},
	"a NUL in a value":              {post(sized(5)+"X: a\x00b\r\n", "hello"+smuggled), true},
	"a bare carriage return":        {post("X: a\rTransfer-Encoding: chunked\r\n"+sized(5), "hello"+smuggled), true},
	"chunked twice":                 {post(isChunked+isChunked, oneChunk+smuggled), true},
	"chunked in a list":             {post("Transfer-Encoding: gzip, chunked\r\n", oneChunk+smuggled), true},
	"another coding":                {post("Transfer-Encoding: xchunked\r\n", oneChunk+smuggled), true},
	"identity":                      {post("Transfer-Encoding: identity\r\n", smuggled), true},
	"identity after chunked":        {post("Transfer-Encoding: chunked, identity\r\n", oneChunk+smuggled), true},
	"chunked with a quote":          {post("Transfer-Encoding: \"chunked\"\r\n", oneChunk+smuggled), true},
	"chunked with a control":        {post("Transfer-Encoding: \x0bchunked\r\n", oneChunk+smuggled), true},
	"an empty coding":               {post("Transfer-Encoding:\r\n", oneChunk+smuggled), true},
	"a name that folds to another":  {post(sized(5)+"Transfer_Encoding: chunked\r\n", "hello") + lastOne, false},
	"chunks in HTTP/1.0":            {strings.Replace(post(isChunked, oneChunk+smuggled), "HTTP/1.1", "HTTP/1.0", 1), true},
	"a chunk extension":             {post(isChunked, "5;a=b\r\nhello\r\n0;c\r\n\r\n") + lastOne, false},
	"an extension with a line feed": {post(isChunked, "5;a\nhello\r\n0\r\n\r\n"+smuggled), true},
	"a chunk that ends in LF":       {post(isChunked, "5\nhello\n0\n\n"+smuggled), true},
	"a chunk that is too long":      {post(isChunked, "3\r\nhello\r\n0\r\n\r\n"+smuggled), true},
	"a chunk size with a prefix":    {post(isChunked, "0x5\r\nhello\r\n0\r\n\r\n"+smuggled), true},
	"a chunk size with a sign":      {post(isChunked, "+5\r\nhello\r\n0\r\n\r\n"+smuggled), true},
	"a huge chunk size":             {post(isChunked, "10000000000000005\r\nhello\r\n0\r\n\r\n"+smuggled), true},
	"a trailer with a length": {post(isChunked+"Trailer: Content-Length\r\n",
		"5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n"+smuggled), true},
	"a trailer": {post(isChunked+"Trailer: X-Sum\r\n", "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n") + lastOne, false},
	"an escaped line end": {strings.Replace(post("Connection: close\r\n"+sized(5), "hello"), "/api/x",
		"/api/x%0d%0aContent-Length:%2050", 1), true},
	"a blank in the target": {strings.Replace(post(sized(5), "hello"+smuggled), "/api/x", "/api/x HTTP/1.1 y", 1), true},
	"h2c":                   {post("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"+sized(5), "hello") + lastOne, false},
	"a GET with a body":     {strings.Replace(post(sized(len(smuggled)), smuggled), "POST", "GET", 1) + lastOne, false},
	"a method with two meanings": {strings.Replace(post("X-HTTP-Method-Override: GET\r\n"+sized(5), "hello"), "POST", "PATCH", 1) +
		lastOne, false},
	"two Hosts":                {post("Host: other\r\n"+sized(5), "hello"+smuggled), true},
	"Connection names lengths": {post("Connection: close, Content-Length, Transfer-Encoding\r\n"+sized(5), "hello"), false},
}

func TestNoRequestIsSmuggledToAPlugin(t *testing.T) {
	t.Parallel()
	p := newRawPlugin(t)
	for name, row := range attacks {
		statuses, arrived := p.attack(t, strings.ReplaceAll(row.sent, "HOST", p.host), 2*time.Minute)
		want := 1
		if row.refused {
			want = 0
			if len(statuses) != 1 || statuses[0] < "400" {
				t.Errorf("%s: answered %v, want one refusal", name, statuses)
			}
		} else if len(statuses) == 0 || statuses[0] != "200" {
			t.Errorf("%s: answered %v, want 200", name, statuses)
		}
		if len(arrived) != want {
			t.Errorf("%s: %q arrived, want %d", name, arrived, want)
		}
		if slices.ContainsFunc(arrived, func(a string) bool { return strings.Contains(a, "smuggled") }) {
			t.Errorf("%s: the smuggled request arrived: %q", name, arrived)
		}
	}
}

// pieces are what requests are put together from.
var pieces = []string{
	"POST " + rawPath + "/api/x HTTP/1.1\r\n", "GET " + rawPath + "/api/y HTTP/1.1\r\n", "Host: HOST\r\n", "\r\n", "\n", "\r",
	"Content-Length: 5\r\n", "Content-Length: 0\r\n", "Content-Length:5\n", "content-length : 5\r\n", "Content-Length: 5,5\r\n",
	isChunked, "Transfer-Encoding: Chunked\n", "Transfer-Encoding:\r\n\tchunked\r\n", "Transfer-Encoding : chunked\r\n",
	" folded\r\n", "X: a\r\n", "Connection: Content-Length\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n",
	"hello", "5\r\nhello\r\n", "0\r\n\r\n", "5;x\nhello\r\n", "0\r\nContent-Length: 9\r\n\r\n", "5 \r\nhello\r\n", smuggled,
	"Content_Length: 9\r\n", "Trailer: X\r\n", "\x00", "HTTP/1.0\r\n",
}

// However requests are mangled: what reaches the plugin has one meaning, and is what the
// platform has signed after its checks.
func TestNoMangledRequestReachesAPluginInTwoMeanings(t *testing.T) {
	t.Parallel()
	p := newRawPlugin(t)
	rapid.Check(t, func(rt *rapid.T) {
		sent := "POST " + rawPath + "/api/x HTTP/1.1\r\nHost: HOST\r\n" +
			strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(rt, "pieces"), "")
		p.attack(t, strings.ReplaceAll(sent, "HOST", p.host), 100*time.Millisecond)
	})
}
