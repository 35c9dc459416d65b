package store_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/message/template"
	"stoa/internal/store"
)

func testTemplates(t *testing.T, open Open) {
	db := shopDB(t, open)
	s := store.NewTemplates(db)
	put := func(list ...template.Own) {
		t.Helper()
		for _, own := range list {
			if err := s.PutTemplate(t.Context(), own); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := func() []template.Own {
		t.Helper()
		list, err := s.Templates(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	receipt := template.Own{Kind: template.Receipt, Language: "en", Form: template.Form{Subject: "a", Text: "b\n"}, UpdatedAt: T0}
	german := template.Own{Kind: template.Receipt, Language: "de", Form: template.Form{Subject: "c", Text: "d"}, UpdatedAt: T0}
	claim := template.Own{Kind: template.Claim, Language: "en", Form: template.Form{Subject: "e", Text: "f"}, UpdatedAt: T0}
	put(receipt, german, claim)
	if got := all(); !cmp.Equal(got, []template.Own{claim, german, receipt}) {
		t.Error(cmp.Diff(got, []template.Own{claim, german, receipt}))
	}
	mustMark := func(own template.Own) {
		t.Helper()
		if err := s.MarkBroken(t.Context(), own.Kind, own.Language, own.UpdatedAt); err != nil {
			t.Fatal(err)
		}
	}
	mustMark(receipt)
	older := claim
	older.UpdatedAt = T0.Add(-1e6)
	mustMark(older) // another than is there by now
	receipt.Broken = true
	if got, err := s.Template(t.Context(), template.Receipt, "en"); err != nil || !cmp.Equal(got, receipt) {
		t.Error(err, cmp.Diff(got, receipt))
	}
	if got, err := s.Template(t.Context(), template.Claim, "en"); err != nil || got.Broken {
		t.Errorf("%+v, %v: a template was marked for one before it", got, err)
	}
	receipt.Broken, receipt.Form.Text = false, "new"
	put(receipt)
	if got, err := s.Template(t.Context(), template.Receipt, "en"); err != nil || !cmp.Equal(got, receipt) {
		t.Error(err, cmp.Diff(got, receipt))
	}
	undone := errors.New("undone")
	err := s.InTx(t.Context(), func(tx template.Store) error {
		return errors.Join(tx.DeleteTemplate(t.Context(), template.Receipt, "en"), undone)
	})
	if !errors.Is(err, undone) || len(all()) != 3 {
		t.Errorf("InTx = %v, and %d templates", err, len(all()))
	}
	if err := s.DeleteTemplate(t.Context(), template.Receipt, "en"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.DeleteTemplate(t.Context(), template.Receipt, "en"), errs.NotFound)
	if _, err := s.Template(t.Context(), template.Receipt, "en"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("a deleted template: %v", err)
	}
}
