// A list of things with fields each, such as tiers and questions: add, move, remove.
import { ActionIcon, Button } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "../../kit/icons";
import type { ReactNode } from "react";
import { t } from "../../text";

interface EntriesProps<T> {
  items: T[];
  onChange: (items: T[]) => void;
  make: () => T;
  add: string; // the button that adds one
  name: (item: T, i: number) => string; // the title of one
  children: (item: T, change: (part: Partial<T>) => void, i: number) => ReactNode;
}

export const Entries = <T,>({ items, onChange, make, add, name, children }: EntriesProps<T>) => {
  const move = (from: number, to: number) => {
    const next = [...items];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  return (
    <div className="entries">
      {items.map((item, i) => {
        const title = name(item, i);
        return (
          <fieldset key={i}>
            <legend>{title}</legend>
            <div className="entry-tools">
              <ActionIcon
                size={24}
                aria-label={t("shop.entry.up", { title })}
                disabled={i === 0}
                onClick={() => move(i, i - 1)}>
                <IconArrowUp size={14} stroke={1.5} />
              </ActionIcon>
              <ActionIcon
                size={24}
                aria-label={t("shop.entry.down", { title })}
                disabled={i === items.length - 1}
                onClick={() => move(i, i + 1)}>
                <IconArrowDown size={14} stroke={1.5} />
              </ActionIcon>
              <ActionIcon
                size={24}
                aria-label={t("shop.entry.remove", { title })}
                onClick={() => onChange(items.filter((_, at) => at !== i))}>
                <IconTrash size={14} stroke={1.5} />
              </ActionIcon>
            </div>
            {children(item, (part) => onChange(items.map((old, at) => (at === i ? { ...old, ...part } : old))), i)}
          </fieldset>
        );
      })}
      <div>
        <Button
          size="xs"
          leftSection={<IconPlus size={14} stroke={1.5} aria-hidden />}
          onClick={() => onChange([...items, make()])}>
          {add}
        </Button>
      </div>
    </div>
  );
};
