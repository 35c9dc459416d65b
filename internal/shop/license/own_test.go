package license_test

import (
	"context"
	"testing"

	"stoa/internal/base/reqctx"
	"stoa/internal/shop/license"
)

// everybodys is a store with a license for each user, all of which match a query without one.
type everybodys struct{ license.Store }

func (everybodys) ListLicenses(_ context.Context, q license.Query) ([]license.Listed, int, error) {
	if q.UserID == "" {
		return nil, 3, nil
	}
	return nil, 1, nil
}

func TestNobodyHasNoLicenses(t *testing.T) {
	t.Parallel()

	s := &license.Service{Store: everybodys{}}
	if list, total, err := s.ListOwn(t.Context(), 20, 0); len(list) != 0 || total != 0 || err != nil {
		t.Errorf("without a user: %d licenses, %v", total, err)
	}
	ada := reqctx.WithCaller(t.Context(), reqctx.Caller{UserID: "ada"})
	if _, total, err := s.ListOwn(ada, 20, 0); total != 1 || err != nil {
		t.Errorf("ada has %d licenses, %v", total, err)
	}
}
