// Toasts say what an action did. They are in one live region, so a screen reader hears
// each; they stay long enough to be read, and as long as the mouse or the focus is on them.
import { Button, CloseButton } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { c } from "../text";

interface Toast {
  id: number;
  text: string;
  tone: "good" | "bad";
  undo?: { label: string; run: () => void };
}

let toasts: Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

const change = (next: Toast[]) => {
  toasts = next;
  for (const listener of listeners) listener();
};
const remove = (id: number) => {
  hold(id);
  change(toasts.filter((toast) => toast.id !== id));
};
const timers = new Map<number, number>();
const hold = (id: number) => {
  clearTimeout(timers.get(id));
  timers.delete(id);
};
const letGo = ({ id, undo, tone }: Toast) => {
  hold(id);
  timers.set(id, window.setTimeout(remove, undo || tone === "bad" ? 12_000 : 6_000, id));
};

const show = (toast: Omit<Toast, "id">) => {
  const shown = { ...toast, id: ++last };
  const over = toasts.length > 2 && toasts.find(({ id }) => timers.has(id)); // the oldest that nobody holds
  if (over) remove(over.id);
  change([...toasts, shown]);
  letGo(shown);
};

export const tell = (text: string, undo?: Toast["undo"]) => show({ text, tone: "good", ...(undo ? { undo } : {}) });
export const tellFailure = (text: string) => show({ text, tone: "bad" });

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const Toasts = () => {
  const all = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {all.map((toast) => (
        <div
          key={toast.id}
          className="toast"
          data-tone={toast.tone}
          onPointerEnter={() => hold(toast.id)}
          onPointerLeave={(e) => e.currentTarget.matches(":focus-within") || letGo(toast)}
          onFocus={() => hold(toast.id)}
          onBlur={(e) =>
            e.currentTarget.contains(e.relatedTarget) || e.currentTarget.matches(":hover") || letGo(toast)
          }>
          <p>{toast.text}</p>
          {toast.undo && (
            <Button
              size="xs"
              onClick={() => {
                toast.undo?.run();
                remove(toast.id);
              }}>
              {toast.undo.label}
            </Button>
          )}
          <CloseButton aria-label={c("close")} onClick={() => remove(toast.id)} />
        </div>
      ))}
    </div>
  );
};
