// What stands above a list: its search field and its filters.
import { CloseButton, Select, TextInput } from "@mantine/core";
import { IconSearch } from "./icons";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { t } from "../text";
import { useListSearch } from "./useListSearch";

export const ListBar = ({
  label = t("list.search"),
  search = true,
  children,
}: {
  label?: string;
  search?: boolean;
  children?: ReactNode;
}) => (
  <div className="list-bar" role="search">
    {search && <SearchField label={label} />}
    {children}
  </div>
);

// SearchField asks the server once typing pauses. "/" moves the focus into it.
const SearchField = ({ label }: { label: string }) => {
  const { search, set } = useListSearch();
  const [text, setText] = useState(search.q ?? "");
  const field = useRef<HTMLInputElement>(null);
  const asked = useRef(search.q ?? "");
  useEffect(() => {
    // the address changed by itself: back button, cleared filters
    if ((search.q ?? "") !== asked.current) setText((asked.current = search.q ?? ""));
  }, [search.q]);
  useEffect(() => {
    if (text === asked.current) return;
    const timer = setTimeout(() => set({ q: (asked.current = text) }), 200);
    return () => clearTimeout(timer);
  }, [text, set]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (
        e.key !== "/" ||
        e.ctrlKey ||
        e.metaKey ||
        (e.target as Element).closest("input,textarea,select,[contenteditable]")
      )
        return;
      e.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <TextInput
      ref={field}
      className="search"
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      leftSection={<IconSearch size={16} stroke={1.5} />}
      rightSection={text && <CloseButton size="sm" aria-label={t("list.clear")} onClick={() => setText("")} />}
      onChange={(e) => setText(e.currentTarget.value)}
    />
  );
};

// Filter is one filter of a list: a choice that is kept in the address under its name. One that cannot be
// empty has the choice that holds while the address has none.
export const Filter = ({
  name,
  label,
  choices,
  otherwise,
}: {
  name: string;
  label: string;
  choices: { value: string; label: string }[];
  otherwise?: string;
}) => {
  const { search, set } = useListSearch();
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={choices}
      clearable={otherwise === undefined}
      w={180}
      value={search[name] === undefined ? (otherwise ?? null) : String(search[name])}
      onChange={(value) => set({ [name]: value === null || value === otherwise ? undefined : value })}
    />
  );
};
