package license

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// BeginTrial makes a new license a trial of that many days, which nothing renews.
func (l *License) BeginTrial(days int, at time.Time) {
	l.Begin(0, at)
	l.EndAt(at.Add(time.Duration(days) * 24 * time.Hour))
	l.Trial = true
}

// Buy turns a trial into a license that was paid at a time. Its key, and the instances that use it, stay.
func (l *License) Buy(t Terms, at time.Time) {
	l.Trial, l.Ends, l.Leeway = false, false, 0
	l.TierID, l.Features, l.MaxInstances = t.TierID, t.Features, t.MaxInstances
	l.Begin(t.Months, at)
}

// takeTrialHost returns ErrTrialUsed if the license is a trial and another trial of its product was activated on
// the host of a. Development and staging addresses do not count.
func takeTrialHost(ctx context.Context, tx Store, l License, a Activation) error {
	if !l.Trial || a.Development {
		return nil
	}
	ok, err := tx.TakeTrialHost(ctx, l.ProductID, trialHost(a.InstanceID), l.ID, a.At)
	if err == nil && !ok {
		err = ErrTrialUsed
	}
	return err
}

// TrialHost returns the host of an instance on which a product can be tried once: empty for no instance, and for
// development addresses, which do not count. A staging address counts while its domain has no seat.
func (s *Service) TrialHost(instanceID string) string {
	id, ok := normalInstanceID(instanceID)
	if !ok || s.DevInstances.Match(id) {
		return ""
	}
	return trialHost(id)
}

// trialHost returns the host of an instance, in its normal form: what is left without a port and the dot of an
// absolute name at its end. An IPv6 address without brackets has no port.
func trialHost(instanceID string) string {
	host := instanceID
	if colon := strings.LastIndexByte(host, ':'); colon > 0 && (strings.Count(host, ":") == 1 || host[colon-1] == ']') {
		if _, err := strconv.ParseUint(host[colon+1:], 10, 16); err == nil {
			host = host[:colon]
		}
	}
	if short := strings.TrimSuffix(host, "."); short != "" {
		host = short
	}
	return host
}
