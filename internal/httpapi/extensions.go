package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"stoa/internal/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/idempotency"
	"stoa/internal/plugin"
)

// uploadTimeout is how long an install may take, the upload included.
const uploadTimeout = 10 * time.Minute

// maxForm is how much a multipart body may have beyond its archive: boundaries,
// headers, small fields.
const maxForm = 1 << 20

// maxUpload is the largest body of an install: 50 MiB of archive and the form
// around it. The archive's own limit is the Installer's business.
const maxUpload = 50<<20 + maxForm

var (
	errNotArchive = errs.New(errs.UnsupportedMedia, "UNSUPPORTED_MEDIA_TYPE", "Send the archive as application/zip, or as the one file of a multipart/form-data form.")
	errBadForm    = errs.Validation(errs.Issue{Code: "malformed", Message: "The form could not be read to its end."})
	errOneFile    = errs.Validation(errs.Issue{Code: "one_file", Message: "Send exactly one file: the archive."})
)

// packageFields is an installed package on the wire (spec B, Plugin package).
type packageFields struct {
	ID              string    `json:"id"`
	Kind            string    `json:"kind"`
	Slug            string    `json:"slug"`
	Name            string    `json:"name"`
	Version         string    `json:"version"`
	Author          string    `json:"author,omitempty"`
	AuthorURL       string    `json:"authorUrl,omitempty"`
	Description     string    `json:"description,omitempty"`
	Category        string    `json:"category,omitempty"`
	RuntimeType     string    `json:"runtimeType"`
	EntryModule     string    `json:"entryModule,omitempty"`
	ExternalBaseURL string    `json:"externalBaseUrl,omitempty"`
	Source          string    `json:"source"`
	InstallPath     string    `json:"installPath,omitempty"`
	ZipHash         string    `json:"zipHash,omitempty"`
	ManifestJSON    string    `json:"manifestJson,omitempty"`
	InstalledAt     timestamp `json:"installedAt"`
	UpdatedAt       timestamp `json:"updatedAt"`
}

func newPackageFields(p plugin.Package) packageFields {
	m := p.Manifest
	return packageFields{
		ID: p.ID, Kind: string(extension.Plugin), Slug: m.Slug, Name: m.Name, Version: m.Version,
		Author: m.Author, AuthorURL: m.AuthorURL, Description: m.Description, Category: m.Category,
		RuntimeType: string(m.RuntimeType), EntryModule: m.EntryModule, ExternalBaseURL: m.ExternalBaseURL,
		Source: string(p.Source), InstallPath: p.InstallPath, ZipHash: p.ZipHash, ManifestJSON: string(m.Raw),
		InstalledAt: timestamp(p.InstalledAt), UpdatedAt: timestamp(p.UpdatedAt),
	}
}

// packageJSON is a package as the lists show it. Permissions is a string that
// holds a JSON array (spec B).
type packageJSON struct {
	packageFields

	Permissions string `json:"permissions"`
}

func newPackageJSON(p plugin.Package) packageJSON {
	text, _ := json.Marshal(orEmpty(p.Manifest.Permissions)) // strings always marshal
	return packageJSON{packageFields: newPackageFields(p), Permissions: string(text)}
}

// installJSON is the answer to an install (CONTRACT 4), where permissions are an
// object instead.
type installJSON struct {
	packageFields

	DefaultInstance instanceJSON    `json:"defaultInstance"`
	Permissions     permissionsJSON `json:"permissions"`
	Duplicate       bool            `json:"duplicate,omitempty"`
}

type permissionsJSON struct {
	Declared []string `json:"declared"`
	Granted  []string `json:"granted"`
	// Added are permissions that an upgrade asks for beyond the version before.
	Added []string `json:"added"`
}

// orEmpty makes a list that is [] rather than null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// installExtension serves POST /api/v1/admin/extensions/{kind}/install.
func (s *Server) installExtension(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkKind(r); err != nil {
		return err
	}
	key, faults := readKey(r)
	if err := faults.err(); err != nil { // before 50 MiB are sent for nothing
		return err
	}
	up, err := s.receive(w, r)
	if err != nil {
		return err
	}
	defer up.Close()
	install := func(w http.ResponseWriter, r *http.Request) error { return s.installUpload(w, r, up) }
	if key == "" {
		return install(w, r)
	}
	// The archive rather than the body: a form has other boundaries each time.
	return s.once(w, r, key, [][]byte{[]byte(r.PathValue("kind")), []byte(up.Hash)}, install)
}

// installUpload installs a received archive and answers with what came of it.
func (s *Server) installUpload(w http.ResponseWriter, r *http.Request, up *install.Upload) error {
	up.PackageID = idempotency.Seed(r.Context())
	res, err := s.Installer.Install(r.Context(), kindOf(r), up)
	if err != nil {
		return err
	}
	installed, ok := res.Record.(plugin.Installed)
	if !ok { // each kind has an answer of its own (CONTRACT 4)
		return fmt.Errorf("httpapi: no answer to the install of a %T", res.Record)
	}
	status := http.StatusCreated
	if res.Duplicate {
		status = http.StatusOK
	}
	writeData(w, status, installJSON{
		packageFields:   newPackageFields(installed.Package),
		DefaultInstance: newInstanceJSON(installed),
		Permissions: permissionsJSON{
			Declared: orEmpty(installed.Package.Manifest.Permissions), Granted: orEmpty(installed.Instance.Granted), Added: []string{},
		},
		Duplicate: res.Duplicate,
	})
	return nil
}

// receive reads the archive of an install request: the body, or the one file in
// it. It goes to disk as it comes in.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) (*install.Upload, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && media == "multipart/form-data" && params["boundary"] != "":
		up, err := s.receiveForm(r, params["boundary"])
		return up, s.tooLarge(r, err)
	case err == nil && (media == "application/zip" || media == "application/x-zip-compressed"):
		up, err := s.Installer.Receive(kindOf(r), r.Body)
		return up, s.tooLarge(r, err)
	}
	return nil, errNotArchive
}

func (s *Server) receiveForm(r *http.Request, boundary string) (up *install.Upload, err error) {
	defer func() {
		if err != nil && up != nil {
			_ = up.Close()
			up = nil
		}
	}()
	form := multipart.NewReader(r.Body, boundary)
	for {
		part, err := form.NextPart()
		switch {
		case errors.Is(err, io.EOF) && up != nil:
			return up, nil
		case errors.Is(err, io.EOF):
			return nil, errOneFile
		case err != nil:
			return up, errors.Join(errBadForm, err)
		case part.FileName() == "":
			continue // a field of the form; NextPart skips its content
		case up != nil:
			return up, errOneFile
		}
		if up, err = s.Installer.Receive(kindOf(r), part); err != nil {
			return nil, err
		}
	}
}

// tooLarge makes 413 of a body that ran into its limit, wherever that was
// noticed.
func (s *Server) tooLarge(r *http.Request, err error) error {
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return s.Installer.TooLarge(kindOf(r)).Because(err)
	}
	return err
}

func kindOf(r *http.Request) extension.Kind { return extension.Kind(r.PathValue("kind")) }

func (s *Server) checkKind(r *http.Request) error { return s.Installer.CheckKind(kindOf(r)) }

// listExtensions serves GET /api/v1/admin/extensions and …/{kind}.
func (s *Server) listExtensions(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("kind") != "" {
		if err := s.checkKind(r); err != nil {
			return err
		}
	}
	var faults issues
	p := readPage(r, &faults)
	if err := faults.err(); err != nil {
		return err
	}
	packages, total, err := s.Plugins.List(r.Context(), p.Limit, p.offset())
	if err != nil {
		return err
	}
	writeList(w, p, packages, total, newPackageJSON)
	return nil
}

// getExtension serves GET /api/v1/admin/extensions/{kind}/{slug}.
func (s *Server) getExtension(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkKind(r); err != nil {
		return err
	}
	return s.getPlugin(w, r)
}

// getPlugin serves GET /api/v1/admin/plugins/{slug}.
func (s *Server) getPlugin(w http.ResponseWriter, r *http.Request) error {
	p, err := s.Plugins.Get(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	writeData(w, http.StatusOK, newPackageJSON(p))
	return nil
}

// uninstallExtension serves DELETE /api/v1/admin/extensions/{kind}/{slug}.
func (s *Server) uninstallExtension(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkKind(r); err != nil {
		return err
	}
	return s.uninstallPlugin(w, r)
}

// uninstallPlugin serves DELETE /api/v1/admin/plugins/{slug}.
func (s *Server) uninstallPlugin(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.Plugins.Uninstall(r.Context(), r.PathValue("slug")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, envelope{Success: true, Message: "The plugin is uninstalled and its instances are disabled. Its files stay on disk."})
	return nil
}

// secretJSON is a package's signing secret on the wire.
type secretJSON struct {
	Secret         string    `json:"secret"`
	PreviousSecret string    `json:"previousSecret,omitempty"`
	PreviousUntil  timestamp `json:"previousUntil,omitzero"`
}

// getSecret serves GET /api/v1/admin/plugins/{slug}/secret.
func (s *Server) getSecret(w http.ResponseWriter, r *http.Request) error {
	secret, err := s.Plugins.Secret(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	writeSecret(w, secret)
	return nil
}

// rotateSecret serves POST /api/v1/admin/plugins/{slug}/secret/rotate.
func (s *Server) rotateSecret(w http.ResponseWriter, r *http.Request) error {
	secret, err := s.Plugins.RotateSecret(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	writeSecret(w, secret)
	return nil
}

func writeSecret(w http.ResponseWriter, s plugin.Secret) {
	noStore(w)
	writeData(w, http.StatusOK, secretJSON{Secret: s.Current, PreviousSecret: s.Previous, PreviousUntil: timestamp(s.PreviousUntil)})
}
