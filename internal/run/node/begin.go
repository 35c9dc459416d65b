package node

import (
	"time"

	"stoa/internal/extension/plugin"
)

// uncalled is how long a process lives that Start has started and no call has reached. It is
// short, because a program may enable a thousand instances in a row.
const uncalled = 10 * time.Second

// Start starts the process of an instance that was enabled or changed, so that its status
// says whether it starts before a call needs it. It does not wait: the status is "starting"
// until it is known. A process that is not called ends soon.
func (rt *Runtime) Start(in plugin.Installed) {
	s := rt.installation(in.Instance.ID)
	p, _, err := s.claim(&in, false)
	if err != nil {
		return // stoa is stopping, or it failed lately, which its status says
	}
	go func() {
		<-p.ready
		s.releaseFor(p, min(uncalled, rt.cfg.Idle))
	}()
}
