package node

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/proctest"
	"stoa/internal/testkit/waittest"
)

// An error with a long message, as those of validators have, ends the process with a line that is
// longer than the log takes. What it says, and where, is told all the same.
func TestALongErrorIsToldShortened(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{plugin.IsolationInstance, plugin.IsolationShared} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			log := new(logtest.Buffer)
			f := newFixture(t, func(c *options) { c.Log = log.Logger() })
			in := f.install(t, "wordy", withRoutes("app.get('/api/end', async () => {\n"+
				"setImmediate(() => { throw new Error('no \"luck\": ' + 'ä\\n'.repeat(3000)) })\n})\n"+
				"app.get('/api/fail', async () => { throw new Error('x'.repeat(3000)) })"))
			in.Package.Settings.Isolation = isolation
			if status, _, err := f.do(t, in, http.MethodGet, "/api/fail", ""); status != http.StatusInternalServerError {
				t.Fatalf("%d, %v", status, err)
			}
			logged(t, log, "file=index.js line=")
			pid := f.Status(in.Instance.ID).PID
			f.get(t, in, "/api/end")
			proctest.Gone(t, pid)
			waittest.True(t, "an error in the status", func() bool { return f.Status(in.Instance.ID).LastError != "" })
			got := f.Status(in.Instance.ID).Failure
			if !strings.HasPrefix(got.Message, `Error: no "luck": ä`) || got.File != "index.js" || got.Line == 0 {
				t.Errorf("the failure is %+v", got)
			}
		})
	}
}
