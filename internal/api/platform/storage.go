package platform

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/extension/plugin/storage"
)

// stored describes a key and its value.
type stored struct {
	Key       string        `json:"key"`
	Size      int64         `json:"size"`
	ETag      string        `json:"etag"`
	ExpiresAt web.Timestamp `json:"expiresAt,omitzero"`
	By        *by           `json:"by,omitempty"`
}

// by is who of the staff wrote a value as which user.
type by struct {
	UserID       string `json:"userId"`
	Impersonator string `json:"impersonatorId"`
}

func newStored(e storage.Entry) stored {
	out := stored{Key: e.Key, Size: e.Size, ETag: web.Tag(e.ETag), ExpiresAt: web.Timestamp(e.ExpiresAt)}
	if e.By.Any() {
		out.By = &by{e.By.UserID, e.By.Impersonator}
	}
	return out
}

// ListKeys serves GET /api/v1/platform/storage.
func (h *Handlers) ListKeys(w http.ResponseWriter, r *http.Request) error {
	type page struct {
		Items      []stored `json:"items"`
		NextCursor string   `json:"nextCursor,omitempty"`
	}

	var faults errs.Issues
	web.NoParamsBut(r, &faults, "prefix", "cursor", "limit")
	limit, v := web.ReadPage(r, &faults).Limit, r.URL.Query()
	prefix := v.Get("prefix")
	if prefix != "" {
		storage.CheckKey(prefix, &faults)
	}
	after, err := base64.RawURLEncoding.DecodeString(v.Get("cursor"))
	if err != nil {
		faults.Add("cursor", errs.CodeInvalid, "cursor must be the nextCursor of an earlier answer.")
	}
	if err := faults.Err(); err != nil {
		return err
	}
	found, more, err := h.Storage.List(r.Context(), installed(r).Instance.ID, prefix, string(after), limit)
	if err != nil {
		return err
	}
	out := page{Items: web.Items(found, newStored)}
	if more {
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(found[len(found)-1].Key))
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, out)
	return nil
}

// GetValue serves GET /api/v1/platform/storage/{key}.
func (h *Handlers) GetValue(w http.ResponseWriter, r *http.Request) error {
	key, err := readKey(r)
	if err != nil {
		return err
	}
	e, err := h.Storage.Get(r.Context(), installed(r).Instance.ID, key)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.SetETag(w, web.Tag(e.ETag))
	if web.NotModified(w, r, web.Tag(e.ETag)) {
		return nil
	}
	w.Header().Set("Content-Type", e.ContentType)
	w.Header().Set("Content-Security-Policy", "sandbox") // the type is the plugin's choice
	w.Header().Set("Content-Length", strconv.Itoa(len(e.Data)))
	_, _ = w.Write(e.Data) // the caller may be gone
	return nil
}

// PutValue serves PUT /api/v1/platform/storage/{key}.
func (h *Handlers) PutValue(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	key := r.PathValue("key")
	storage.CheckKey(key, &faults)
	ttl := readTTL(r, &faults)
	c := readCondition(r, &faults)
	contentType := cmp.Or(r.Header.Get("Content-Type"), "application/octet-stream")
	if !text.Printable(contentType, 255) {
		faults.Add("Content-Type", errs.CodeOutOfRange, "Content-Type must be printable and have at most 255 characters.")
	}
	if err := faults.Err(); err != nil {
		return err
	}
	data, err := web.ReadBytes(w, r, storage.MaxValue, storage.ErrLarge)
	if err != nil {
		return err
	}
	e := storage.Entry{Key: key, ContentType: contentType, Data: data}
	e, created, err := h.Storage.Put(r.Context(), installed(r).Instance.ID, e, ttl, c)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	web.SetETag(w, web.Tag(e.ETag))
	web.WriteData(w, status, newStored(e))
	return nil
}

// DeleteValue serves DELETE /api/v1/platform/storage/{key}.
func (h *Handlers) DeleteValue(w http.ResponseWriter, r *http.Request) error {
	key, err := readKey(r)
	if err != nil {
		return err
	}
	c := storage.Condition{Match: web.IfMatchText(r)}
	if err := h.Storage.Delete(r.Context(), installed(r).Instance.ID, key, c); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func readKey(r *http.Request) (string, error) {
	var faults errs.Issues
	key := r.PathValue("key")
	storage.CheckKey(key, &faults)
	return key, faults.Err()
}

// readTTL reads how long a value is kept: zero is forever.
func readTTL(r *http.Request, faults *errs.Issues) time.Duration {
	q := r.URL.Query()
	if !q.Has("ttl") {
		return 0
	}
	const longest = int64(storage.MaxTTL / time.Second)
	n, err := strconv.ParseInt(q.Get("ttl"), 10, 64)
	if err != nil || n < 1 || n > longest {
		faults.Add("ttl", web.NumberCode(err), "ttl must be a whole number of seconds from 1 to %d.", longest)
		return 0
	}
	return time.Duration(n) * time.Second
}

// readCondition reads If-Match and If-None-Match of a change.
func readCondition(r *http.Request, faults *errs.Issues) storage.Condition {
	c := storage.Condition{Match: web.IfMatchText(r)}
	if values := r.Header.Values("If-None-Match"); len(values) > 0 {
		if c.Absent = strings.Join(values, ",") == "*"; !c.Absent {
			faults.Add("If-None-Match", errs.CodeUnknownValue, "If-None-Match must be *: nothing is stored yet.")
		}
	}
	return c
}
