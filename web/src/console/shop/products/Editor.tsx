// The editor of a product: its fields, and beside them what a buyer will see.
import "../shop.css";
import { Button, NativeSelect, SegmentedControl } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { Confirm } from "../../kit/Confirm";
import { Locked } from "../../kit/may";
import { t } from "../../text";
import { languageName } from "../mails/languages";
import type { Draft } from "./draft";
import { Faults } from "./faults";
import { Basics, Features, Questions, Shelf } from "./fields";
import { Lacks } from "./Lacks";
import { Languages } from "./Languages";
import { Pictures } from "./Pictures";
import { Preview } from "./Preview";
import { SaveError } from "./SaveError";
import { Comparison, Tiers } from "./Tiers";
import { followed, spoken } from "./translated";
import { useEditing, useSave, type Saved } from "./useSave";

interface EditorProps extends Saved {
  onCreated?: (slug: string) => void;
}

export const Editor = ({ onCreated, ...latest }: EditorProps) => {
  const { held, hold, draft, setDraft } = useEditing(latest);
  const { base, saved } = held;
  const [view, setView] = useState("fields");
  const save = useSave({ held, draft, onSaved: hold, onCreated });
  const seen = useDeferredValue(draft);
  const set = (part: Partial<Draft>) => setDraft((now) => followed(now, { ...now, ...part }));
  const published = saved?.published ?? false;
  return (
    <Faults value={save.faults}>
      <Leaving losing={save.losing} />
      <SegmentedControl
        className="editor-view"
        value={view}
        onChange={setView}
        aria-label={t("shop.editor.view")}
        data={[
          { value: "fields", label: t("shop.editor.fields") },
          { value: "preview", label: t("shop.preview.title") },
        ]}
      />
      <div className="editor" data-view={view}>
        <form
          className="editor-fields"
          noValidate
          onSubmit={(e) => {
            e.preventDefault();
            save.run({});
          }}>
          <SaveError save={save} />
          {!save.error && <Lacks lacks={saved?.lacks ?? []} draft={base} />}
          <Locked needs="products:write">
            <Basics draft={draft} set={set} fresh={!saved} />
            <Pictures draft={draft} set={set} />
            <Features draft={draft} set={set} />
            <Tiers draft={draft} set={set} />
            <Comparison draft={draft} set={set} />
            <Questions draft={draft} set={set} />
            <Languages draft={draft} set={set} />
            <Shelf draft={draft} set={set} />
          </Locked>
          <SaveBar
            save={save}
            published={published}
            fresh={!saved}
            onDiscard={() => {
              setDraft(base);
              save.reset();
            }}
          />
        </form>
        <aside className="editor-preview" aria-label={t("shop.preview.title")} tabIndex={0}>
          <Shown draft={seen} shown={saved?.shown} />
        </aside>
      </div>
    </Faults>
  );
};

// Shown is the preview, in one of the draft's languages.
const Shown = ({ draft, shown }: Parameters<typeof Preview>[0]) => {
  const [tag, setTag] = useState("");
  const tags = Object.keys(draft.translations);
  const words = draft.translations[tag];
  return (
    <>
      {tags.length > 0 && (
        <NativeSelect
          className="preview-language"
          aria-label={t("shop.editor.languages.preview")}
          value={words ? tag : ""}
          onChange={(e) => setTag(e.currentTarget.value)}
          data={[
            { value: "", label: t("shop.editor.languages.original") },
            ...tags.map((value) => ({ value, label: languageName(value) })),
          ]}
        />
      )}
      <Preview draft={spoken(draft, words)} shown={shown} />
    </>
  );
};

interface SaveBarProps {
  save: ReturnType<typeof useSave>;
  published: boolean;
  fresh: boolean;
  onDiscard: () => void;
}

// SaveBar stays in sight while there is something to save.
const SaveBar = ({ save, published, fresh, onDiscard }: SaveBarProps) => {
  if (!save.dirty && !fresh) return null;
  return (
    <div className="save-bar">
      <span className="soft" role="status">
        {t(fresh ? "shop.editor.fresh" : published ? "shop.editor.dirtyLive" : "shop.editor.dirtyDraft")}
      </span>
      <span className="row">
        {!fresh && <Button onClick={onDiscard}>{t("shop.editor.discard")}</Button>}
        {!published && (
          <Button loading={save.pending} onClick={() => save.run({ published: true })}>
            {t("shop.editor.createPublished")}
          </Button>
        )}
        <Button type="submit" variant="filled" loading={save.pending}>
          {t(published ? "shop.editor.save" : "shop.editor.saveDraft")}
        </Button>
      </span>
    </div>
  );
};

// Leaving asks before unsaved changes are lost.
const Leaving = ({ losing }: { losing: () => boolean }) => {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => losing() && current.pathname !== next.pathname,
    enableBeforeUnload: losing,
    withResolver: true,
  });
  return (
    <Confirm
      open={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={t("shop.editor.leave.title")}
      effects={[t("shop.editor.leave.effect")]}
      action={t("shop.editor.leave.action")}
      run={async () => blocker.proceed?.()}
      done={t("shop.editor.leave.done")}
    />
  );
};
