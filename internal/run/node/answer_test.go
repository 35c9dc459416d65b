package node

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/run"
	"stoa/internal/testkit/logtest"
)

func TestAnUnusableAnswerIsNotACrash(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "odd", withRoutes(pidRoute+`
	  app.all('/api/long-header', async (req, reply) => reply.header('x-long', 'a'.repeat(100 << 10)).send({}))
	  app.all('/api/garbage', (req, reply) => { reply.hijack(); req.raw.socket.end('what?\r\n\r\n') })
	  app.all('/api/upgrade', (req, reply) => {
	    reply.hijack()
	    req.raw.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: odd\r\n\r\n')
	  })
	  app.all('/api/nothing', (req, reply) => { reply.hijack(); req.raw.socket.destroy() })`))
	pid := f.get(t, in, "/api/pid")
	f.cfg.ReapWait = 10 * time.Minute // nothing but a connection that just broke needs it
	for _, target := range []string{"/api/long-header", "/api/garbage", "/api/upgrade", "/api/nothing"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if target == "/api/nothing" {
				f.cfg.ReapWait = 100 * time.Millisecond
			}
			start := time.Now()
			_, _, err := f.do(t, in, method, target, "")
			if !errors.Is(err, run.ErrUnreachable) || reasonOf(t, err) != reasonBadAnswer {
				t.Errorf("%s %s: got %v, want ErrUnreachable because of a bad answer", method, target, err)
			}
			if took := time.Since(start); took > 5*time.Minute {
				t.Fatalf("%s %s: the answer took %s", method, target, took)
			}
		}
	}
	if now := f.get(t, in, "/api/pid"); now != pid {
		t.Error("the process was restarted")
	}
}

func TestTheHostAddsNothingToThePluginsLog(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	f := newFixture(t, func(c *options) { c.Log = log.Logger() })
	in := f.install(t, "chatty", withRoutes(`app.log.info('registered')
	  app.addHook('onListen', async () => { app.log.info('listening') })`))
	f.get(t, in, "/health")
	p := f.installation(in.Instance.ID).peek()
	f.Stop(in.Instance.ID)
	<-p.done // with it, all of its output is in the log
	var said []string
	for line := range strings.Lines(log.String()) {
		if _, text, ok := strings.Cut(line, `msg="plugin says"`); ok {
			_, text, _ = strings.Cut(text, "text=")
			said = append(said, strings.TrimSpace(text))
		}
	}
	if want := []string{"registered", "listening"}; !slices.Equal(said, want) {
		t.Errorf("the log has %q, want %q", said, want)
	}
}
