package proof

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/anishathalye/porcupine"
)

// operation is one request about a license.
type operation struct {
	do       action
	instance int
}

type action string

// The operations of clients.
const (
	activate   action = "activate"
	deactivate action = "deactivate"
	verify     action = "verify"
	revoke     action = "revoke" // by an administrator
	free       action = "free"   // by the owner: deactivate an instance
	list       action = "list"   // by the owner
)

// licenseState is the state of a license in a single program that runs one operation
// after another.
type licenseState struct {
	taken   uint16 // a bit for each instance that is activated
	revoked bool
}

func (s licenseState) has(instance int) bool { return s.taken&(1<<instance) != 0 }
func (s licenseState) seats() int            { return bits.OnesCount16(s.taken) }

// step runs an operation and returns its outcome and the new state of the license.
func (s licenseState) step(maxInstances int, op operation) (outcome, licenseState) {
	switch op.do {
	case activate:
		switch {
		case s.revoked:
			return outcome{verdict: unusable}, s
		case !s.has(op.instance) && s.seats() >= maxInstances:
			return outcome{verdict: full}, s
		}
		s.taken |= 1 << op.instance
	case deactivate:
		s.taken &^= 1 << op.instance
	case verify:
		switch {
		case s.revoked:
			return outcome{verdict: revoked}, s
		case !s.has(op.instance):
			return outcome{verdict: notActivated}, s
		}
	case revoke:
		s.revoked = true
	case free:
		if !s.has(op.instance) {
			return outcome{verdict: notActivated}, s
		}
		s.taken &^= 1 << op.instance
	case list:
		return outcome{verdict: granted, seats: s.seats(), taken: s.taken}, s
	}
	return outcome{verdict: granted, seats: s.seats()}, s
}

// licenseModel is the checker's model of a license with that many seats. An operation
// without an answer may have any outcome. It may also never have happened: therefore its
// end is recorded after everything else.
func licenseModel(maxInstances int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return licenseState{} },
		Step: func(state, input, output any) (bool, any) {
			want, next := state.(licenseState).step(maxInstances, input.(operation))
			got := output.(outcome)
			return got.verdict == unknown || got == want, next
		},
		DescribeOperation: func(input, output any) string {
			op, out := input.(operation), output.(outcome)
			text := string(op.do)
			if op.do != revoke && op.do != list {
				text += fmt.Sprintf(" %d", op.instance)
			}
			text += ": " + string(out.verdict)
			if out.verdict == granted {
				text += fmt.Sprintf(", %d taken", out.seats)
			}
			if op.do == list && out.verdict == granted {
				text += fmt.Sprintf(" (%b)", out.taken)
			}
			return text
		},
		DescribeState: func(state any) string {
			s := state.(licenseState)
			return fmt.Sprintf("taken %b, revoked %t", s.taken, s.revoked)
		},
	}
}

func ok(seats int) outcome { return outcome{verdict: granted, seats: seats} }
func no(v verdict) outcome { return outcome{verdict: v} }

type event struct {
	from, to int64
	do       action
	instance int
	out      outcome
}

const never = 1_000

var toldHistories = []struct {
	name    string
	history []event
	want    bool
}{
	{"one after the other", []event{
		{1, 2, activate, 0, ok(1)},
		{3, 4, activate, 1, ok(2)},
		{5, 6, activate, 2, no(full)},
		{7, 8, deactivate, 0, ok(1)},
		{9, 10, activate, 2, ok(2)},
		{11, 12, verify, 0, no(notActivated)},
		{13, 14, verify, 2, ok(2)},
		{15, 16, revoke, 0, ok(2)},
		{17, 18, verify, 2, no(revoked)},
		{19, 20, activate, 2, no(unusable)},
		{21, 22, deactivate, 2, ok(1)},
	}, true},
	{
		"the same instance again takes no seat",
		[]event{{1, 2, activate, 0, ok(1)}, {3, 4, activate, 0, ok(1)}, {5, 6, activate, 1, ok(2)}},
		true,
	},
	{"a race has one order", []event{
		{1, 5, activate, 0, ok(2)},
		{1, 5, activate, 1, ok(1)},
		{1, 5, activate, 2, no(full)},
	}, true},
	{"a race has two first", []event{{1, 5, activate, 0, ok(1)}, {1, 5, activate, 1, ok(1)}}, false},
	{
		"one seat too many",
		[]event{{1, 5, activate, 0, ok(1)}, {1, 5, activate, 1, ok(2)}, {1, 5, activate, 2, ok(3)}},
		false,
	},
	{"one seat too few", []event{{1, 2, activate, 0, ok(1)}, {3, 4, activate, 1, no(full)}}, false},
	{"the same instance takes a second seat", []event{{1, 2, activate, 0, ok(1)}, {3, 4, activate, 0, ok(2)}}, false},
	{"an activation is lost", []event{{1, 2, activate, 0, ok(1)}, {3, 4, verify, 0, no(notActivated)}}, false},
	{"verify knows it early", []event{{1, 2, verify, 0, ok(1)}, {3, 4, activate, 0, ok(1)}}, false},
	{"verify overlaps with it", []event{{1, 4, verify, 0, ok(1)}, {3, 5, activate, 0, ok(1)}}, true},
	{
		"verify says yes, then no",
		[]event{{1, 9, activate, 0, ok(1)}, {2, 3, verify, 0, ok(1)}, {4, 5, verify, 0, no(notActivated)}},
		false,
	},
	{
		"a revocation comes late",
		[]event{{1, 2, activate, 0, ok(1)}, {3, 4, revoke, 0, ok(1)}, {5, 6, verify, 0, ok(1)}},
		false,
	},
	{"a revocation passes", []event{{1, 2, revoke, 0, ok(0)}, {3, 4, activate, 0, ok(1)}}, false},
	{"a freed seat stays taken", []event{
		{1, 2, activate, 0, ok(1)}, {3, 4, activate, 1, ok(2)}, {5, 6, deactivate, 1, ok(1)}, {7, 8, activate, 2, no(full)},
	}, false},
	{"the owner sees and frees", []event{
		{1, 2, activate, 1, ok(1)},
		{3, 4, list, 0, outcome{granted, 1, 0b10}},
		{5, 6, free, 1, ok(0)},
		{7, 8, free, 1, no(notActivated)},
	}, true},
	{
		"the owner sees another instance",
		[]event{{1, 2, activate, 1, ok(1)}, {3, 4, list, 0, outcome{granted, 1, 0b1}}},
		false,
	},
	{
		"one instance is freed twice",
		[]event{{1, 2, activate, 1, ok(1)}, {3, 5, free, 1, ok(0)}, {3, 5, free, 1, ok(0)}},
		false,
	},
	{"no answer, and it happened", []event{{1, never, activate, 0, no(unknown)}, {5, 6, verify, 0, ok(1)}}, true},
	{
		"no answer, and it did not happen",
		[]event{{1, never, activate, 0, no(unknown)}, {5, 6, verify, 0, no(notActivated)}},
		true,
	},
	{"no answer, and it happened late", []event{
		{1, never, activate, 0, no(unknown)}, {5, 6, verify, 0, no(notActivated)}, {7, 8, verify, 0, ok(1)},
	}, true},
	{"no answer, and it came undone", []event{
		{1, never, activate, 0, no(unknown)}, {5, 6, verify, 0, ok(1)}, {7, 8, verify, 0, no(notActivated)},
	}, false},
	{"no answer takes one seat only", []event{
		{1, never, activate, 0, no(unknown)},
		{2, 3, activate, 1, ok(2)},
		{4, 5, activate, 0, ok(2)},
		{6, 7, activate, 2, ok(3)},
	}, false},
}

// The checker proves nothing unless it tells good histories from bad ones.
func TestTheModelTellsGoodHistoriesFromBadOnes(t *testing.T) {
	t.Parallel()

	for _, tt := range toldHistories {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			var history []porcupine.Operation
			for i, e := range tt.history {
				history = append(history,
					porcupine.Operation{ClientId: i, Input: operation{e.do, e.instance}, Call: e.from, Output: e.out, Return: e.to})
			}
			if got := porcupine.CheckOperations(licenseModel(2), history); got != tt.want {
				t.Errorf("linearizable: %t, want %t", got, tt.want)
			}
		})
	}
}
