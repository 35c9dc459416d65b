package child

import (
	"slices"
	"testing"
)

func TestNodeVersions(t *testing.T) {
	t.Parallel()
	const permission, experimental = "--permission", "--experimental-permission"
	const network, detect = "--allow-net", "--experimental-detect-module"
	tests := []struct {
		out   string
		want  version
		flags []string
		not   []string
	}{
		{"v20.19.0\n", version{20, 19}, []string{experimental, detect}, []string{permission, network}},
		{"v22.6.0\n", version{22, 6}, []string{experimental, detect}, []string{permission}},
		{"v22.12.1\n", version{22, 12}, []string{experimental}, []string{permission, detect}},
		{"v22.13.0\n", version{22, 13}, []string{permission}, []string{experimental}},
		{"v23.4.0\n", version{23, 4}, []string{experimental}, []string{permission}},
		{"v24.1.0\n", version{24, 1}, []string{permission}, []string{network}},
		{"v26.0.0-nightly\n", version{26, 0}, []string{permission, network}, []string{experimental}},
	}
	for _, tt := range tests {
		v, err := parseVersion(tt.out)
		if err != nil || v != tt.want {
			t.Errorf("%q: got %v, %v", tt.out, v, err)
		}
		flags := binary{version: v}.flags()
		for _, flag := range tt.flags {
			if !slices.Contains(flags, flag) {
				t.Errorf("%s: %s is missing in %v", v, flag, flags)
			}
		}
		for _, flag := range tt.not {
			if slices.Contains(flags, flag) {
				t.Errorf("%s: %s is in %v", v, flag, flags)
			}
		}
	}
	for _, out := range []string{"", "20.19.0", "v20", "vx.y.z", "v99999.1.0"} {
		if v, err := parseVersion(out); err == nil {
			t.Errorf("%q: got %v", out, v)
		}
	}
}
