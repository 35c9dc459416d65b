package admin

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/operate/system"
	"stoa/internal/trust/keyring"
)

// described describes this process and its dependencies.
type described struct {
	Version    string        `json:"version"`
	Commit     string        `json:"commit,omitempty"`
	CommitDate string        `json:"commitDate,omitempty"`
	StartedAt  web.Timestamp `json:"startedAt"`
	Host       string        `json:"host"`
	PlatformID string        `json:"platformId"`
	PublicURL  string        `json:"publicUrl"`
	OpsAddress *string       `json:"opsAddress"`
	MasterKey  sourced       `json:"masterKey"`
	Database   engine        `json:"database"`
	Payments   paidHow       `json:"payments"`
	Mail       mailed        `json:"mail"`
	Redis      redis         `json:"redis"`
	Storage    stored        `json:"storage"`
	Plugins    nodeRuntime   `json:"plugins"`
	Keys       []purposeKeys `json:"keys"`
	Health     []healthPart  `json:"health"`
}

type sourced struct {
	Source string `json:"source"`
}

type engine struct {
	Engine  string  `json:"engine"`
	Version *string `json:"version"` // null while it does not answer
}

type paidHow struct {
	Mode     string  `json:"mode"`
	Provider *string `json:"provider"`
}

type mailed struct {
	Via         string   `json:"via"`
	From        *string  `json:"from"`
	LastFailure *failure `json:"lastFailure"`
}

type failure struct {
	At      web.Timestamp `json:"at"`
	Message string        `json:"message"`
}

type redis struct {
	Configured bool `json:"configured"`
	Reachable  bool `json:"reachable"`
}

type stored struct {
	Kind    string  `json:"kind"`
	Folder  string  `json:"folder"`
	Address *string `json:"address"` // of the object storage
}

type nodeRuntime struct {
	NodeVersion *string `json:"nodeVersion"`
	Isolation   *string `json:"isolation"`
	Missing     *string `json:"missing"`
	Error       *string `json:"error"`
}

type purposeKeys struct {
	Purpose string       `json:"purpose"`
	Keys    []signingKey `json:"keys"`
}

type signingKey struct {
	KID       string        `json:"kid"`
	Stage     keyring.Stage `json:"stage"`
	CreatedAt web.Timestamp `json:"createdAt"`
	Since     web.Timestamp `json:"since"`
	Until     web.Timestamp `json:"until,omitzero"`
}

type healthPart struct {
	Name    string        `json:"name"`
	OK      bool          `json:"ok"`
	Message string        `json:"message"`
	Since   web.Timestamp `json:"since"`
}

// DescribeSystem serves GET /api/v1/admin/system.
func (h *Handlers) DescribeSystem(w http.ResponseWriter, r *http.Request) error {
	f := h.System.Facts
	parts := h.System.Monitor.Health(r.Context())
	out := described{
		Version: f.Version, Commit: f.Commit, CommitDate: f.CommitDate, StartedAt: web.Timestamp(f.StartedAt),
		Host: f.Host, PlatformID: f.PlatformID, PublicURL: f.PublicURL, OpsAddress: web.OrNull(f.OpsAddress),
		MasterKey: sourced{f.MasterKey}, Database: engine{Engine: f.DatabaseEngine},
		Payments: paidHow{"live", web.OrNull(f.PaymentProvider)}, Mail: mailed{Via: f.MailVia, From: web.OrNull(f.MailFrom)},
		Redis: redis{Configured: f.Redis}, Storage: stored{"disk", f.DataDir, web.OrNull(f.Storage)},
		Health: web.Items(parts, func(p system.Part) healthPart {
			return healthPart{p.Name, p.OK, p.Message, web.Timestamp(p.Since)}
		}),
	}
	if f.Storage != "" {
		out.Storage.Kind = "s3"
	}
	if f.TestPayments {
		out.Payments.Mode = "test"
	}
	if last := h.System.MailFailure(); !last.At.IsZero() {
		out.Mail.LastFailure = &failure{web.Timestamp(last.At), last.Message}
	}
	for _, p := range parts {
		out.Redis.Reachable = out.Redis.Reachable || p.Name == system.PartRedis && p.OK
	}
	if version, err := h.System.DatabaseVersion(r.Context()); err == nil {
		out.Database.Version = &version
	}
	out.Plugins = h.nodeRuntime()
	for _, ring := range h.System.Rings {
		keys, err := ring.List(r.Context())
		if err != nil {
			return err
		}
		out.Keys = append(out.Keys, purposeKeys{ring.Purpose.Name, web.Items(keys, func(k keyring.Info) signingKey {
			return signingKey{
				k.ID, k.Stage, web.Timestamp(k.CreatedAt), web.Timestamp(k.Since), web.Timestamp(k.Until),
			}
		})})
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, out)
	return nil
}

func (h *Handlers) nodeRuntime() nodeRuntime {
	node, err := h.System.Node()
	if err != nil {
		return nodeRuntime{Error: new(err.Error())}
	}
	return nodeRuntime{
		NodeVersion: web.OrNull(node.Version), Isolation: web.OrNull(node.Isolation), Missing: web.OrNull(node.Missing),
	}
}

// rotation is the body of a rotation of keys.
type rotation struct {
	Purpose string `json:"purpose"`
	Now     bool   `json:"now"`
}

// RotateKeys serves POST /api/v1/admin/keys/rotate.
func (h *Handlers) RotateKeys(w http.ResponseWriter, r *http.Request) error {
	type rotated struct {
		Rotated  bool          `json:"rotated"`
		Current  string        `json:"current"`
		Next     string        `json:"next"`
		NextFrom web.Timestamp `json:"nextFrom"`
		Dropped  []string      `json:"dropped"`
	}

	in, err := web.ReadJSON(w, r, func(in rotation) (faults errs.Issues) {
		if faults.Require("purpose", in.Purpose) && h.System.Ring(in.Purpose) == nil {
			faults.Add("purpose", errs.CodeUnknownValue, "purpose must be account, license or plugin.")
		}
		return faults
	})
	if err != nil {
		return err
	}
	done, err := h.System.Ring(in.Purpose).Rotate(r.Context(), in.Now)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, rotated{
		done.Rotated, done.Current, done.Next, web.Timestamp(done.NextFrom), web.OrEmpty(done.Dropped),
	})
	return nil
}
