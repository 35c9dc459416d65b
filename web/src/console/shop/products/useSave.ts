// Saving a product: only what was changed is sent, with the tag of the state that it was
// changed from, so that nobody's change is overwritten unseen.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, tagged } from "../../../api/client";
import { asProblem, type Issue } from "../../../api/problem";
import { tell } from "../../kit/toast";
import { t } from "../../text";
import type { Product } from "../types";
import type { paths } from "../../../api/schema";
import { still } from "./faults";
import { asBody, changesOf, draftOf, inputOf, rebased, type Draft } from "./draft";

// Saved is a product as it was read, and as the editor shows it.
export interface Saved {
  base: Draft;
  saved?: Product;
  etag?: string;
}

export const savedAs = ({ value, etag }: { value: Product; etag: string }): Saved => ({
  base: draftOf(value),
  saved: value,
  etag,
});

interface Saving {
  held: Saved; // what the draft began with
  draft: Draft;
  onSaved: (now: Saved, sent?: Draft) => void;
  onCreated: ((slug: string) => void) | undefined;
}

// Conflict is what somebody else saved in the meantime.
export interface Conflict {
  theirs: Product;
  etag: string;
  fields: string[];
}

// useEditing returns a draft, and what it began with: what was read last, until something is typed. From then on, a
// newer state takes its place only if it has the same texts and prices: saving would take back what somebody else
// changed.
export const useEditing = (latest: Saved) => {
  const [held, setHeld] = useState(latest);
  const [draft, setDraft] = useState(latest.base);
  if (isNewer(latest, held)) {
    const clean = isSame(held.base, draft);
    if (clean || isSame(held.base, latest.base)) setHeld(latest);
    if (clean) setDraft(latest.base);
  }
  // hold goes on with what is saved now, which was sent as a draft, or is somebody else's.
  const hold = (now: Saved, sent?: Draft) => {
    setHeld(now);
    setDraft((typed) => (sent ? rebased(typed, sent, now.base) : now.base));
  };
  return { held, hold, draft, setDraft };
};

// isNewer reports whether a state was read of which the held one does not know: what was read last may be older than
// what was saved since.
const isNewer = (latest: Saved, held: Saved): boolean =>
  latest.etag !== held.etag && (latest.saved?.updatedAt ?? "") >= (held.saved?.updatedAt ?? "");

const isSame = (one: Draft, other: Draft): boolean => Object.keys(changesOf(one, other)).length === 0;

export const useSave = ({ held: { base, etag }, draft, onSaved, onCreated }: Saving) => {
  const cache = useQueryClient();
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const created = useRef(false); // known before the next rendering, in which its page opens
  const changes = changesOf(base, draft);
  const fresh = etag === undefined;

  const [sent, setSent] = useState<Draft | null>(null); // what the server's faults are about
  const send = async ({ published, over }: { published?: boolean; over?: string }) => {
    if (fresh) return tagged(api.POST("/api/v1/admin/products", { body: required(draft, published ?? false) }));
    const path = { slug: draft.slug };
    return tagged(
      api.PATCH("/api/v1/admin/products/{slug}", {
        params: { path, header: { "If-Match": over ?? etag } },
        body: asBody({ ...changes, ...(published === undefined ? {} : { published }) }),
      }),
    );
  };

  const mutation = useMutation({
    mutationFn: send,
    onMutate: () => {
      setSent(draft);
      return draft;
    },
    onSuccess: async (answer, { published }, sent) => {
      const product = answer.value;
      created.current = fresh;
      setConflict(null);
      if (!fresh) onSaved(savedAs(answer), sent);
      tell(
        t(published ? "shop.editor.published" : product.published ? "shop.editor.saved" : "shop.editor.savedDraft", {
          name: product.name,
        }),
      );
      if (!fresh) await cache.invalidateQueries({ queryKey: ["products"] });
      await cache.invalidateQueries({ queryKey: ["audit"] });
      if (fresh) onCreated?.(product.slug);
    },
    onError: async (error) => {
      if (asProblem(error).status !== 412) return focusFault();
      const { value: theirs, etag: now } = await tagged(
        api.GET("/api/v1/admin/products/{slug}", { params: { path: { slug: draft.slug } } }),
      );
      setConflict({ theirs, etag: now, fields: Object.keys(changesOf(base, draftOf(theirs))) });
    },
  });
  const found: Issue[] = mutation.isError ? asProblem(mutation.error).issues : [];
  const faults = still(found, sent, draft);
  return {
    run: mutation.mutate,
    pending: mutation.isPending,
    error: found.length > 0 && faults.length === 0 ? null : mutation.error,
    faults,
    conflict,
    mine: Object.keys(changes),
    dirty: Object.keys(changes).length > 0,
    // losing reports whether changes are lost if the page is left now.
    losing: () => Object.keys(changes).length > 0 && !created.current,
    reset: () => {
      mutation.reset();
      setConflict(null);
    },
    // take goes on with what the other saved; its own changes are given up.
    take: async ({ theirs: value, etag: now }: Conflict) => {
      onSaved(savedAs({ value, etag: now }));
      mutation.reset();
      setConflict(null);
      await cache.invalidateQueries({ queryKey: ["products"] });
    },
  };
};

// required is the input of a new product, which has its slug and all fields.
const required = (draft: Draft, published: boolean) =>
  ({ slug: draft.slug, ...inputOf(draft), published }) as NonNullable<
    paths["/api/v1/admin/products"]["post"]["requestBody"]
  >["content"]["application/json"];

// focusFault moves to the first field with a fault, once it is marked.
const focusFault = () =>
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      document.querySelector<HTMLElement>(".editor-fields [aria-invalid='true']")?.focus();
    }),
  );
