package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// upload sends a picture, which must be answered with the status want.
func upload(tb testing.TB, a *testkit.App, token, contentType, content string, want int) testkit.Response {
	tb.Helper()
	res := a.Do(tb, testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/admin/media", Token: token,
		Body: []byte(content), Header: http.Header{"Content-Type": {contentType}},
	})
	if res.Status != want {
		tb.Errorf("upload of %.80q = %d, want %d\n%s", content, res.Status, want, res.Body)
	}
	return res
}

var (
	png  = testkit.PNG(2, 1)
	jpg  = testkit.JPEG(2, 1)
	webp = testkit.WebP(2, 1)
)

func TestPicturesAreUploadedAndServed(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	for _, tt := range []struct{ declared, content, served, policy string }{
		{
			"image/svg+xml", testkit.SVG, "image/svg+xml",
			"default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
		},
		{"image/png", png, "image/png", "sandbox"},
		{"image/jpeg", jpg, "image/jpeg", "sandbox"},
		{"image/webp", webp, "image/webp", "sandbox"},
		{"image/png", jpg + "declared as another", "image/jpeg", "sandbox"}, // the content counts
		{"image/png", png + strings.Repeat("x", 2<<20-len(png)), "image/png", "sandbox"},
	} {
		res := upload(t, a, admin, tt.declared, tt.content, http.StatusCreated)
		path := res.Text(t, "data.path")
		if res.Text(t, "data.contentType") != tt.served || res.Get(t, "data.size") != float64(len(tt.content)) ||
			res.Header.Get("Location") != path {
			t.Errorf("upload = %s", res.Body)
		}
		got := a.Fetch(t, path)
		if got.Status != http.StatusOK || string(got.Body) != tt.content ||
			got.Header.Get("Content-Type") != tt.served ||
			got.Header.Get("Content-Security-Policy") != tt.policy ||
			got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s = %d %v", path, got.Status, got.Header)
		}
		again := upload(t, a, admin, tt.declared, tt.content, http.StatusCreated)
		if again.Text(t, "data.path") != path {
			t.Errorf("the same picture again is %s, was %s", again.Text(t, "data.path"), path)
		}
		manage(t, a, admin, http.MethodPost, managed,
			draft(fmt.Sprint("p", len(tt.content), tt.declared[6:9]), map[string]any{
				"icon": path, "screenshots": []any{path},
			}), http.StatusCreated)
	}
	body, header := testkit.Form(t, []byte(testkit.SVG))
	res := a.Do(t, testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/admin/media", Token: admin, Body: body, Header: header,
	})
	if res.Status != http.StatusCreated || res.Text(t, "data.contentType") != "image/svg+xml" {
		t.Errorf("as a form: %d %s", res.Status, res.Body)
	}
}

func TestPicturesAreListedWithWhatShowsThem(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	icon := upload(t, a, admin, "image/png", png, http.StatusCreated).Text(t, "data.path")
	unused := upload(t, a, admin, "image/jpeg", jpg, http.StatusCreated).Text(t, "data.path")
	for _, slug := range []string{"b", "a"} {
		manage(t, a, admin, http.MethodPost, managed,
			draft(slug, map[string]any{"icon": icon, "screenshots": []any{icon}}), http.StatusCreated)
	}

	res := a.Do(t, testkit.Get(admin, "/api/v1/admin/media"))
	got := make(map[any]string)
	for _, item := range res.Get(t, "data.items").([]any) {
		it := item.(map[string]any)
		got[it["path"]] = fmt.Sprint(it["contentType"], " ", it["size"], " ", it["usedBy"])
	}
	want := map[any]string{
		icon:   fmt.Sprintf("image/png %d [a b]", len(png)),
		unused: fmt.Sprintf("image/jpeg %d []", len(jpg)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pictures (-want +got):\n%s", diff)
	}

	for query, want := range map[string]string{"?limit=1&page=2": "1 of 2", "?limit=1&page=3": "0 of 2"} {
		res := a.Do(t, testkit.Get(admin, "/api/v1/admin/media"+query))
		items := len(res.Get(t, "data.items").([]any))
		if got := fmt.Sprint(items, " of ", res.Get(t, "data.pagination.total")); got != want {
			t.Errorf("%s = %s, want %s", query, got, want)
		}
	}
	if res := a.Do(t, testkit.Get(admin, "/api/v1/admin/media?q=x")); testkit.IssuePaths(t, res) != "q" {
		t.Errorf("an unknown parameter = %d %s", res.Status, res.Body)
	}
	if res := a.Do(t, testkit.Get(a.Register(t, "eve").Access, "/api/v1/admin/media")); res.Status != http.StatusForbidden {
		t.Errorf("by a customer = %d, want 403", res.Status)
	}
}

func TestAPictureIsDeletedUnlessAProductShowsIt(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.New(t, options...)
		admin := a.Admin(t, "ada").Access
		icon := upload(t, a, admin, "image/png", png, http.StatusCreated).Text(t, "data.path")
		shot := upload(t, a, admin, "image/jpeg", jpg, http.StatusCreated).Text(t, "data.path")
		manage(t, a, admin, http.MethodPost, managed,
			draft("shown", map[string]any{"icon": icon, "screenshots": []any{shot}}), http.StatusCreated)
		erase := func(token, path string) testkit.Response {
			t.Helper()
			return a.Do(t, testkit.Request{Method: http.MethodDelete, Path: "/api/v1/admin" + path, Token: token})
		}
		for _, path := range []string{icon, shot} {
			res := erase(admin, path)
			testkit.WantError(t, res, http.StatusConflict, "CONFLICT")
			if got := fmt.Sprint(res.Get(t, "error.details.products"), res.Get(t, "error.details.total")); got != "[Name] 1" {
				t.Errorf("%s is shown by %s", path, got)
			}
			if got := a.Fetch(t, path); got.Status != http.StatusOK {
				t.Errorf("%s, which was not deleted = %d", path, got.Status)
			}
		}
		manage(t, a, admin, http.MethodPatch, managed+"/shown", map[string]any{"screenshots": []any{}}, http.StatusOK)
		testkit.WantError(t, erase(a.Register(t, "eve").Access, shot), http.StatusForbidden, "FORBIDDEN")
		if res := erase(admin, shot); res.Status != http.StatusOK {
			t.Fatalf("delete = %d %s", res.Status, res.Body)
		}
		if got := a.Fetch(t, shot); got.Status != http.StatusNotFound {
			t.Errorf("a deleted picture = %d, want 404", got.Status)
		}
		testkit.WantError(t, erase(admin, shot), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, erase(admin, "/media/stoa.db"), http.StatusNotFound, "NOT_FOUND")
		log := a.Do(t, testkit.Get(admin, "/api/v1/admin/audit?action=media.delete"))
		if name := strings.TrimPrefix(shot, "/media/"); log.Get(t, "data.pagination.total") != 1.0 ||
			!strings.Contains(string(log.Body), name) {
			t.Errorf("the audit log has the deletions %s, want that of %s", log.Body, name)
		}
		if back := upload(t, a, admin, "image/jpeg", jpg, http.StatusCreated).Text(t, "data.path"); back != shot {
			t.Errorf("the same picture again is %s, was %s", back, shot)
		}
	})
}

func TestARefusedDeletionNamesTwentyProducts(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	icon := upload(t, a, admin, "image/png", png, http.StatusCreated).Text(t, "data.path")
	for i := range 21 {
		manage(t, a, admin, http.MethodPost, managed,
			draft(fmt.Sprintf("p%02d", i), map[string]any{"icon": icon}), http.StatusCreated)
		if i < 19 {
			continue
		}
		res := a.Do(t, testkit.Request{Method: http.MethodDelete, Path: "/api/v1/admin" + icon, Token: admin})
		testkit.WantError(t, res, http.StatusConflict, "CONFLICT")
		named := len(res.Get(t, "error.details.products").([]any))
		if total := res.Get(t, "error.details.total"); named != 20 || total != float64(i+1) {
			t.Errorf("of %d products, %d are named and %v counted", i+1, named, total)
		}
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	for _, content := range []string{
		"", "GIF89a", "<html></html>", "\x89PN", "\x89PNG\r\n\x1a\n...", "\xff\xd8\xff...",
		"RIFF....WEBPVP8 ", png[:20], jpg[:20], "%PDF-1.7", "RIFF....WAVE....", "<svg/>",
	} {
		res := upload(t, a, admin, "image/png", content, http.StatusBadRequest)
		if content != "" && named(t, res)[0] != " bad_media" {
			t.Errorf("%q: %s", content, res.Body)
		}
	}
	upload(t, a, admin, "image/png", png+strings.Repeat("x", 2<<20-len(png)+1), http.StatusRequestEntityTooLarge)
	for _, declared := range []string{
		"image/gif", "text/html", "application/octet-stream", "multipart/form-data", "nonsense",
	} {
		upload(t, a, admin, declared, png, http.StatusUnsupportedMediaType)
	}
	for name, tt := range map[string]struct {
		files [][]byte
		want  int
	}{
		"none": {nil, http.StatusBadRequest},
		"two":  {[][]byte{[]byte(png), []byte(jpg)}, http.StatusBadRequest},
		"one that is too large": {
			[][]byte{[]byte(png + strings.Repeat("x", 2<<20))}, http.StatusRequestEntityTooLarge,
		},
		"one that is far too big": {[][]byte{make([]byte, 4<<20)}, http.StatusRequestEntityTooLarge},
	} {
		body, header := testkit.Form(t, tt.files...)
		res := a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: "/api/v1/admin/media", Token: admin, Body: body, Header: header,
		})
		if res.Status != tt.want {
			t.Errorf("a form with %s = %d %s, want %d", name, res.Status, res.Body, tt.want)
		}
	}
	cut := a.Do(t, testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/admin/media", Token: admin,
		Body:   "--b\r\nContent-Disposition: form-data; name=a; filename=a\r\n\r\nabc",
		Header: http.Header{"Content-Type": {"multipart/form-data; boundary=b"}},
	})
	testkit.WantError(t, cut, http.StatusBadRequest, "VALIDATION_ERROR")
}

// Browsers keep all pixels of a picture in memory, however small its file is.
func TestPicturesHaveABoundedSize(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	for kind, draw := range map[string]func(width, height int) string{
		"png": testkit.PNG, "jpeg": testkit.JPEG, "webp": testkit.WebP,
	} {
		upload(t, a, admin, "image/"+kind, draw(10_000, 1), http.StatusCreated)
		upload(t, a, admin, "image/"+kind, draw(1, 10_000), http.StatusCreated)
		for _, content := range []string{draw(10_001, 1), draw(1, 10_001)} {
			res := upload(t, a, admin, "image/"+kind, content, http.StatusBadRequest)
			if !strings.Contains(res.Text(t, "error.message"), "10000 pixels") {
				t.Errorf("%s: %s", kind, res.Body)
			}
		}
	}
}
