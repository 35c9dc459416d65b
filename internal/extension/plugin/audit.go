package plugin

import (
	"bytes"
	"context"
	"slices"

	"stoa/internal/trust/audit"
)

// record appends an entry to the audit log, in st's transaction.
func (s *Service) record(
	ctx context.Context, st Store, action audit.Action, target audit.Target, details audit.Details,
) error {
	return st.Record(ctx, audit.New(ctx, s.Now(), action, target, details))
}

func packageTarget(slug string) audit.Target { return audit.Target{Type: "plugin", ID: slug} }

// recordInstance records the change of an instance from was to in. Of the config it
// records only that it changed, because any of it may be a secret.
func (s *Service) recordInstance(ctx context.Context, st Store, was, in Instance) error {
	action := audit.InstanceUpdate
	details := audit.Details{"slug": in.Slug, "instanceKey": in.Key}
	switch {
	case was.ID == "":
		action = audit.InstanceCreate
		details["enabled"], details["grantedPermissions"] = in.Enabled, append([]string{}, in.Granted...)
	case !in.DeletedAt.IsZero():
		action = audit.InstanceDelete
	default:
		if in.Enabled != was.Enabled {
			details["enabled"] = in.Enabled
		}
		if !slices.Equal(in.Granted, was.Granted) || len(in.Undecided) < len(was.Undecided) { // somebody decided
			details["grantedPermissions"] = append([]string{}, in.Granted...)
		}
		if !bytes.Equal(in.Config, was.Config) {
			details["config"] = "changed"
		}
	}
	return s.record(ctx, st, action, audit.Target{Type: "instance", ID: in.ID}, details)
}
