package node

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"stoa/internal/runtime"
)

func TestAnUnusableAnswerIsNotACrash(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "odd", withRoutes(pidRoute+`
	  app.all('/api/long-header', async (req, reply) => reply.header('x-long', 'a'.repeat(100 << 10)).send({}))
	  app.all('/api/garbage', (req, reply) => { reply.hijack(); req.raw.socket.end('what?\r\n\r\n') })
	  app.all('/api/upgrade', (req, reply) => { reply.hijack(); req.raw.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: odd\r\n\r\n') })
	  app.all('/api/nothing', (req, reply) => { reply.hijack(); req.raw.socket.destroy() })`))
	pid := f.get(t, in, "/api/pid")
	f.reapWait = time.Minute // nothing but a connection that just broke needs it
	for _, target := range []string{"/api/long-header", "/api/garbage", "/api/upgrade", "/api/nothing"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if target == "/api/nothing" {
				f.reapWait = 100 * time.Millisecond
			}
			start := time.Now()
			_, _, err := f.do(t, in, method, target, "")
			if !errors.Is(err, runtime.ErrUnreachable) || reasonOf(t, err) != reasonBadAnswer {
				t.Errorf("%s %s: got %v, want ErrUnreachable because of a bad answer", method, target, err)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%s %s: the answer took %s", method, target, took)
			}
		}
	}
	if now := f.get(t, in, "/api/pid"); now != pid {
		t.Error("the process was restarted")
	}
}
