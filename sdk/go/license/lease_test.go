package license_test

import (
	"errors"
	"slices"
	"testing"

	"stoa.example/sdk/go/license"
)

var leaseErrors = map[string]error{
	"invalid": license.ErrInvalid, "unknown_key": license.ErrUnknownKey, "product": license.ErrProduct,
	"instance": license.ErrInstance, "issuer": license.ErrIssuer, "clock": license.ErrClock,
}

func TestLeases(t *testing.T) {
	t.Parallel()

	v := readVectors(t)
	fromPEM, err := license.ParsePEM([]byte(v.PEM))
	if err != nil {
		t.Fatal(err)
	}
	for form, keys := range map[string]license.Keys{"JWKS": mustKeys(t, v), "PEM": fromPEM} {
		for _, tt := range v.Leases {
			t.Run(form+"/"+tt.Name, func(t *testing.T) {
				t.Parallel()
				checkLease(t, keys, tt)
			})
		}
	}
}

func checkLease(t *testing.T, keys license.Keys, tt leaseVector) {
	t.Helper()
	verifier := license.Verifier{Keys: keys, Product: tt.Product, Instance: tt.Instance, Issuer: tt.Issuer}
	got, err := verifier.Check(tt.Lease, at(tt.Now), at(tt.LastSeen))
	if tt.Error != "" {
		if !errors.Is(err, leaseErrors[tt.Error]) || got.Usable() || got.Lease.LicenseID != "" {
			t.Fatalf("Check = %+v, %v; want %s and nothing else", got, err, tt.Error)
		}
		return
	}
	if err != nil || string(got.State) != tt.State || !got.LastSeen.Equal(at(tt.SeenNext)) ||
		got.Usable() != (tt.State != "expired") {
		t.Fatalf("Check = %s, seen %s, %v; want %s, seen %s", got.State, got.LastSeen, err, tt.State, at(tt.SeenNext))
	}
	c := tt.Claims
	if c == nil {
		return
	}
	l := got.Lease
	if l.Issuer != c.Issuer || l.LicenseID != c.Subject || l.ProductID != c.Product.ID || l.Product != c.Product.Slug ||
		l.Instance != c.InstanceID || l.Development != c.Development || !slices.Equal(l.Features, c.Features) ||
		l.LicenseType != c.LicenseType ||
		!l.LicenseExpiresAt.Equal(at(c.LicenseExpiresAt)) || !l.IssuedAt.Equal(at(c.IssuedAt)) ||
		!l.ExpiresAt.Equal(at(c.ExpiresAt)) || !l.GraceUntil.Equal(at(c.GraceUntil)) || l.Nonce != c.Nonce {
		t.Errorf("lease = %+v, want %+v", l, c)
	}
	if l.Has("templates") != slices.Contains(c.Features, "templates") || l.Has("") {
		t.Errorf("Has does not follow %q", l.Features)
	}
}

func TestInstancesAreNormalizedAsInTheVectors(t *testing.T) {
	t.Parallel()

	for _, v := range readVectors(t).Instances {
		if got := license.NormalInstance(v.ID); got != v.Normal {
			t.Errorf("NormalInstance(%+q) = %+q, want %+q", v.ID, got, v.Normal)
		}
	}
}

// Claims that released versions of this SDK ignore are read by this one.
func TestLeasesTellTierAndTrial(t *testing.T) {
	t.Parallel()

	v := readVectors(t)
	told := map[string]license.Lease{
		"the moment it is issued":                     {},
		"a trial, which readers may ignore":           {Trial: true},
		"claims of later stoas, which readers ignore": {Tier: "business"},
	}
	for _, tt := range v.Leases {
		want, ok := told[tt.Name]
		if !ok {
			continue
		}
		delete(told, tt.Name)
		if got, err := mustKeys(t, v).ParseLease(tt.Lease); err != nil || got.Trial != want.Trial || got.Tier != want.Tier {
			t.Errorf("%s: trial %v, tier %q, %v", tt.Name, got.Trial, got.Tier, err)
		}
	}
	if len(told) > 0 {
		t.Errorf("no vectors: %v", told)
	}
}
