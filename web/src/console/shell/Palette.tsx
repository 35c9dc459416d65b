import "./palette.css";
import { Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconArrowRight,
  IconClock,
  IconKey,
  IconPackage,
  IconPlug,
  IconPlus,
  IconReceipt,
  IconSearch,
  IconUser,
  IconWebhook,
} from "../kit/icons";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { ErrorNote } from "../kit/ErrorNote";
import { t } from "../text";
import { found, ownHits, recent, remember, type Group, type Hit } from "./palette";

// Palette is the one search box of the console (⌘K): it goes to pages, starts actions and
// finds customers, orders, licenses, products and plugins. It is a combobox: the focus
// stays in the field, and the arrow keys move through the list below it.
export const Palette = ({ onClose }: { onClose: () => void }) => {
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const { hits, server } = useHits(typed);
  const chosen = Math.min(at, hits.length - 1);
  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    if (hit.run) return hit.run();
    remember(hit);
    void navigate({ to: hit.to });
  };
  const onKey = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step !== undefined && hits.length > 0) setAt((chosen + step + hits.length) % hits.length);
    else if (e.key === "Enter") open(hits[chosen]);
    else return;
    e.preventDefault();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("palette.open")}
      withCloseButton={false}
      size={620}
      padding={0}
      classNames={{ header: "sr" }}>
      <div className="palette-field">
        <IconSearch size={18} stroke={1.5} aria-hidden />
        <input
          data-autofocus
          role="combobox"
          type="text"
          autoComplete="off"
          spellCheck={false}
          aria-label={t("palette.label")}
          placeholder={t("palette.hint")}
          aria-expanded={hits.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          {...(hits[chosen] ? { "aria-activedescendant": `${list}-${chosen}` } : {})}
          value={typed}
          onChange={(e) => {
            setTyped(e.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
      </div>
      <Hits id={list} hits={hits} chosen={chosen} onPoint={setAt} onOpen={open} />
      {server.isError && (
        <div className="palette-note">
          <ErrorNote error={server.error} retry={() => void server.refetch()} />
        </div>
      )}
      <p className={hits.length === 0 && typed && !server.isFetching ? "palette-note soft" : "sr"} role="status">
        {outcome(typed, hits, server.isFetching)}
      </p>
    </Modal>
  );
};

const outcome = (typed: string, hits: Hit[], searching: boolean): string => {
  if (searching) return t("palette.searching");
  return hits.length === 0 ? t("palette.empty", { query: typed }) : t.count("palette.found", hits.length);
};

// useHits are the entries for what was typed: at first what was opened lately, and pages.
const useHits = (typed: string) => {
  const [asked] = useDebouncedValue(typed.trim(), 150);
  const enabled = asked.length >= 2;
  const server = useQuery({
    queryKey: ["palette", asked],
    queryFn: () => found(asked),
    enabled,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const own = ownHits(typed);
  if (typed.trim() === "") return { hits: [...recent(), ...own], server };
  return { hits: [...own, ...(enabled ? (server.data ?? []) : [])], server };
};

const icons: Record<Group, typeof IconUser> = {
  recent: IconClock,
  pages: IconArrowRight,
  actions: IconPlus,
  people: IconUser,
  orders: IconReceipt,
  licenses: IconKey,
  products: IconPackage,
  plugins: IconPlug,
  webhooks: IconWebhook,
};

interface HitsProps {
  id: string;
  hits: Hit[];
  chosen: number;
  onPoint: (i: number) => void;
  onOpen: (hit: Hit) => void;
}

const Hits = ({ id, hits, chosen, onPoint, onOpen }: HitsProps) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const groups = [...new Set(hits.map((hit) => hit.group))];
  return (
    <div id={id} ref={box} className="palette-list" role="listbox" aria-label={t("palette.open")}>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={t(`palette.group.${group}`)}>
          <div className="palette-group" aria-hidden>
            {t(`palette.group.${group}`)}
          </div>
          {hits.map((hit, i) => {
            const Icon = icons[hit.group];
            return (
              hit.group === group && (
                <div
                  key={hit.to}
                  id={`${id}-${i}`}
                  role="option"
                  aria-selected={i === chosen}
                  className="palette-hit"
                  onMouseMove={() => {
                    if (i !== chosen) onPoint(i);
                  }}
                  onMouseDown={(e) => e.preventDefault()}
                  onClick={() => onOpen(hit)}>
                  <Icon size={16} stroke={1.5} aria-hidden />
                  <span className="clip">{hit.label}</span>
                  {hit.detail && <span className="clip soft small">{hit.detail}</span>}
                </div>
              )
            );
          })}
        </div>
      ))}
    </div>
  );
};
