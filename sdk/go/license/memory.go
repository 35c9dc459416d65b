package license

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors of the stored lease.
var (
	ErrNoLease = errors.New("license: no lease is stored")
	// ErrStore means that the Store failed. Only Deactivate returns it; elsewhere it
	// is a warning (Status.StoreErr).
	ErrStore = errors.New("license: the store failed")
)

// saved is the content of a Store.
type saved struct {
	Lease    string  `json:"lease,omitempty"`
	LastSeen int64   `json:"lastSeen,omitempty"` // Unix seconds
	Refused  *Reason `json:"refused,omitempty"`  // why the vendor refused, if that was its last answer
}

func (s saved) seen() time.Time { return unix(s.LastSeen) }

// memory is what a Client knows even while its Store fails.
type memory struct {
	sync.Mutex

	last    saved
	unsaved bool // the Store does not hold last
	ends    int  // how often a lease ended: by a refusal, or by Deactivate
}

func (c *Client) ends() int {
	c.memory.Lock()
	defer c.memory.Unlock()
	return c.memory.ends
}

// refuse records a refusal. It returns the error of the Store.
func (c *Client) refuse(r *Refused) error {
	c.memory.Lock()
	defer c.memory.Unlock()
	c.memory.ends++
	return c.save(saved{Refused: &r.Code})
}

// giveBack forgets the lease. It returns the error of the Store.
func (c *Client) giveBack() error {
	c.memory.Lock()
	defer c.memory.Unlock()
	c.memory.ends++
	return c.save(saved{})
}

// grant stores a new lease, unless one ended since the request for it was sent,
// when there were before ends. Which of the two answers is newer is unknown then,
// so the end wins.
func (c *Client) grant(s saved, before int) (refused *Refused, storeErr error) {
	c.memory.Lock()
	defer c.memory.Unlock()
	if last := c.memory.last; c.memory.ends != before && last.Lease == "" {
		if last.Refused != nil {
			return &Refused{Code: *last.Refused}, nil
		}
		return &Refused{Code: ReasonNotActivated}, nil
	}
	return nil, c.save(s)
}

// load returns the state from the Store, or from memory while the Store fails; the
// error says that it still does. The caller holds the lock.
func (c *Client) load() (saved, error) {
	m := &c.memory
	if m.unsaved {
		return m.last, c.save(m.last)
	}
	if c.Store == nil {
		return m.last, nil
	}
	data, err := c.Store.Load()
	if err != nil {
		return m.last, fmt.Errorf("%w: cannot load the lease: %w", ErrStore, err)
	}
	m.last = saved{}
	if len(data) > 0 && json.Unmarshal(data, &m.last) != nil {
		m.last = saved{} // damaged: treat it as empty
	}
	return m.last, nil
}

// save puts s into memory and into the Store. The caller holds the lock.
func (c *Client) save(s saved) error {
	m := &c.memory
	m.last, m.unsaved = s, false
	if c.Store == nil {
		return nil
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = c.Store.Save(data)
	}
	if err != nil {
		m.unsaved = true
		return fmt.Errorf("%w: cannot save the lease: %w", ErrStore, err)
	}
	return nil
}
