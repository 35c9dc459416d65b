package license

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Why there is nothing to go by without network.
var (
	ErrNoLease = errors.New("license: there is no lease at hand")
	// ErrStore is a Store that failed. Only Deactivate returns it by itself.
	ErrStore = errors.New("license: the store failed")
)

// saved is what a Store keeps.
type saved struct {
	Lease    string  `json:"lease,omitempty"`
	LastSeen int64   `json:"lastSeen,omitempty"` // Unix seconds
	Refused  *string `json:"refused,omitempty"`  // the vendor's last word was no, and why
}

func (s saved) seen() time.Time {
	if s.LastSeen == 0 {
		return time.Time{}
	}
	return time.Unix(s.LastSeen, 0).UTC()
}

// memory is what a Client knows whether or not its Store works.
type memory struct {
	sync.Mutex

	last    saved
	unsaved bool // last is not in the Store
	ends    int  // how often a lease ended: the vendor refused, or it was given back
}

func (c *Client) ends() int {
	c.memory.Lock()
	defer c.memory.Unlock()
	return c.memory.ends
}

// refuse notes that the vendor refused, and returns what the Store thinks of it.
func (c *Client) refuse(r *Refused) error {
	c.memory.Lock()
	defer c.memory.Unlock()
	c.memory.ends++
	return c.save(saved{Refused: &r.Code})
}

// giveBack forgets the lease.
func (c *Client) giveBack() error {
	c.memory.Lock()
	defer c.memory.Unlock()
	c.memory.ends++
	return c.save(saved{})
}

// grant keeps a new lease, unless the vendor refused after the request for it was
// sent, when there had been before ends, or the seat was given back: which of the
// two answers is the newer one is not known then, and the end wins.
func (c *Client) grant(s saved, before int) (refused *Refused, storeErr error) {
	c.memory.Lock()
	defer c.memory.Unlock()
	if last := c.memory.last; c.memory.ends != before && last.Lease == "" {
		if last.Refused != nil {
			return &Refused{Code: *last.Refused}, nil
		}
		return &Refused{Code: "not_activated"}, nil
	}
	return nil, c.save(s)
}

// load returns what is known: from the Store, unless it failed. Its error says
// that it still does. The memory is locked.
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
		return m.last, fmt.Errorf("%w: load the lease: %w", ErrStore, err)
	}
	m.last = saved{}
	if len(data) > 0 && json.Unmarshal(data, &m.last) != nil {
		m.last = saved{} // damaged: as if there were none
	}
	return m.last, nil
}

// save keeps s, in memory in any case. The memory is locked.
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
		return fmt.Errorf("%w: keep the lease: %w", ErrStore, err)
	}
	return nil
}
