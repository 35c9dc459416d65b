package child

import "testing"

func TestOnlySilenceInARowIsAStall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		beats  []int64 // before each look
		busy   bool
		expect bool
	}{
		{"regular", []int64{1, 1, 1, 1, 1, 1, 1}, true, false},
		{"late, then several at once", []int64{0, 0, 0, 0, 4, 0, 0, 0, 0, 4}, true, false},
		{"silent during a call", []int64{1, 0, 0, 0, 0, 0}, true, true},
		{"silent for as long without a call", []int64{1, 0, 0, 0, 0, 0}, false, false},
		{"silent for long without a call", make([]int64, beatsPerStall*quietFactor), false, true},
	}
	for _, tt := range tests {
		h, stalled := heart{}, false
		for _, n := range tt.beats {
			h.beats.Add(n)
			stalled = h.stalled(tt.busy) || stalled
		}
		if stalled != tt.expect {
			t.Errorf("%s: stalled %t, want %t", tt.name, stalled, tt.expect)
		}
	}
}
