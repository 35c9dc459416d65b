package extension

import (
	"fmt"
	"io"
	"net/http"

	"stoa/internal/api/keyed"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/data/idempotency"
	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
)

var (
	errWrongType = errs.New(errs.UnsupportedMedia, "UNSUPPORTED_MEDIA_TYPE",
		"Send the archive as application/zip, or as the one file of a multipart/form-data form.")
	errNotOne = errs.Validation(errs.Issue{Code: errs.CodeOneFile, Message: "Send exactly one file: the archive."})
)

func kindOf(r *http.Request) extension.Kind { return extension.Kind(r.PathValue("kind")) }

func (h *Handlers) checkKind(r *http.Request) error { return h.Installer.CheckKind(kindOf(r)) }

// archive describes the upload of an archive of a kind.
func (h *Handlers) archive(kind extension.Kind) web.Upload {
	limit := h.Installer.MaxSize(kind) + web.FormRoom
	return web.Upload{
		Types:   []string{"application/zip", "application/x-zip-compressed"},
		MaxBody: limit, MaxForm: limit,
		WrongType: errWrongType, TooLarge: h.Installer.TooLarge(kind), NotOne: errNotOne,
	}
}

// installed is the answer to an install (contract 4.5). Unlike in listedPackage,
// permissions are an object.
type installed struct {
	packageFields

	DefaultInstance instance    `json:"defaultInstance"`
	Permissions     permissions `json:"permissions"`
	Duplicate       bool        `json:"duplicate,omitempty"`
	// PreviousVersion is the version that a rollback returns to. Absent if nothing was
	// upgraded.
	PreviousVersion string `json:"previousVersion,omitempty"`
}

type permissions struct {
	Declared []string `json:"declared"`
	Granted  []string `json:"granted"`
	// Added are permissions that an upgrade declares and the version before did not.
	Added []string `json:"added"`
	// Unknown are the declared permissions that grant nothing.
	Unknown []string `json:"unknown"`
}

// Install serves POST /api/v1/admin/extensions/{kind}/install.
func (h *Handlers) Install(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkKind(r); err != nil {
		return err
	}
	key, faults := keyed.ReadKey(r)
	replace := readFlag(r, "replace", &faults)
	if err := faults.Err(); err != nil { // before 50 MiB are sent for nothing
		return err
	}
	up, err := h.receive(w, r, kindOf(r))
	if err != nil {
		return err
	}
	defer up.Close()
	up.Replace = replace
	do := func(w http.ResponseWriter, r *http.Request) error { return h.install(w, r, kindOf(r), up) }
	if key == "" {
		return do(w, r)
	}
	// The archive and not the body: a form has other boundaries each time.
	return h.Keyed.Once(w, r, key, [][]byte{[]byte(r.PathValue("kind")), []byte(up.Hash)}, do)
}

// readFlag reads a parameter that is true or false, and false if absent.
func readFlag(r *http.Request, name string, faults *errs.Issues) bool {
	v := web.ReadBool(r, name, faults)
	return v != nil && *v
}

// receive writes the archive of a request to disk as it arrives. The
// caller closes it.
func (h *Handlers) receive(
	w http.ResponseWriter, r *http.Request, kind extension.Kind,
) (up *install.Upload, err error) {
	err = h.archive(kind).Read(w, r, func(file io.Reader) (err error) {
		up, err = h.Installer.Receive(kind, file)
		return err
	})
	if err != nil && up != nil {
		_ = up.Close()
		up = nil
	}
	return up, err
}

// install installs a received archive and answers with the result.
func (h *Handlers) install(w http.ResponseWriter, r *http.Request, kind extension.Kind, up *install.Upload) error {
	up.PackageID = idempotency.Seed(r.Context())
	res, err := h.Installer.Install(r.Context(), kind, up)
	if err != nil {
		return err
	}
	return h.writeResult(w, r, res)
}

// writeResult answers with what was installed.
func (h *Handlers) writeResult(w http.ResponseWriter, r *http.Request, res install.Result) error {
	switch of := res.Record.(type) { // each kind has an answer of its own (contract 4.5)
	case theme.Installed:
		writeInstalledTheme(w, of, res.Duplicate)
		return nil
	case bundle.Installed:
		writeInstalledBundle(w, of, res.Duplicate)
		return nil
	case plugin.Installed:
		return h.writeInstalledPlugin(w, r, of, res.Duplicate)
	}
	return fmt.Errorf("httpapi: no answer to the install of a %T", res.Record)
}

func (h *Handlers) writeInstalledPlugin(
	w http.ResponseWriter, r *http.Request, of plugin.Installed, duplicate bool,
) error {
	switch {
	case duplicate:
		return h.writeInstalled(w, r, of, http.StatusOK, func(a *installed) { a.Duplicate = true })
	case of.Package.UpgradeID != "":
		return h.writeVersion(w, r, of)
	}
	return h.writeInstalled(w, r, of, http.StatusCreated, nil)
}

// writeVersion answers with a package whose version has just changed.
func (h *Handlers) writeVersion(w http.ResponseWriter, r *http.Request, of plugin.Installed) error {
	was, ok, err := h.Plugins.Previous(r.Context(), of.Package.Manifest.Slug)
	if err != nil {
		return err
	}
	return h.writeInstalled(w, r, of, http.StatusOK, func(a *installed) {
		if ok {
			a.PreviousVersion = was.Manifest.Version
			a.Permissions.Added = of.Package.Manifest.Added(was.Manifest)
		}
	})
}

// writeInstalled answers with a package and its default instance. more completes the
// answer, if it is not nil.
func (h *Handlers) writeInstalled(
	w http.ResponseWriter, r *http.Request, of plugin.Installed, status int, more func(*installed),
) error {
	shown, err := h.instances(r.Context(), of)
	if err != nil {
		return err
	}
	answer := installed{
		packageFields:   newPackageFields(of.Package),
		DefaultInstance: shown[0],
		Permissions: permissions{
			Declared: web.OrEmpty(of.Package.Manifest.Permissions),
			Granted:  of.Permissions(), Added: []string{},
			Unknown: of.Package.Manifest.Unknown(of.Package.Manifest.Permissions),
		},
	}
	if more != nil {
		more(&answer)
	}
	web.WriteData(w, status, answer)
	return nil
}
