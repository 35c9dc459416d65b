import { ActionIcon, TextInput } from "@mantine/core";
import { IconArrowLeft, IconArrowRight, IconTrash } from "../../kit/icons";
import { useContext, useEffect, useRef } from "react";
import { Section } from "../../kit/Page";
import { t } from "../../text";
import { PictureDrop } from "../media/PictureDrop";
import { Faults, useFault, useFaultsIn } from "./faults";
import type { FieldsProps } from "./fields";

export const Pictures = ({ draft, set }: FieldsProps) => {
  const faults = useContext(Faults);
  const shots = useFaultsIn("screenshots");
  // Several uploads may end before the next rendering: each adds to what the last one left.
  const screenshots = useRef(draft.screenshots);
  useEffect(() => {
    screenshots.current = draft.screenshots;
  }, [draft.screenshots]);
  const put = (next: string[]) => {
    screenshots.current = next;
    set({ screenshots: next });
  };
  const move = (from: number, to: number) => {
    const next = [...draft.screenshots];
    next.splice(to, 0, ...next.splice(from, 1));
    put(next);
  };
  return (
    <Section title={t("shop.editor.pictures")}>
      <div className="icon-field">
        {draft.icon ? <img src={draft.icon} alt="" width={64} height={64} /> : <span className="no-icon" aria-hidden />}
        <TextInput
          label={t("shop.editor.icon")}
          required
          value={draft.icon}
          onChange={(e) => set({ icon: e.currentTarget.value })}
          {...useFault("icon")}
        />
      </div>
      <PictureDrop label={t("shop.editor.uploadIcon")} onPicture={({ path }) => set({ icon: path })} />
      <h3>{t("shop.editor.screenshots")}</h3>
      {draft.screenshots.length > 0 && (
        <ul className="shots">
          {draft.screenshots.map((shot, i) => (
            <li
              key={`${shot}-${i}`}
              data-fault={faults.some((issue) => issue.path === `screenshots[${i}]`) || undefined}>
              <img src={shot} alt={t("shop.editor.screenshot", { n: i + 1 })} loading="lazy" />
              <span className="row" style={{ gap: 0 }}>
                <ActionIcon
                  size={24}
                  aria-label={t("shop.entry.earlier", { n: i + 1 })}
                  disabled={i === 0}
                  onClick={() => move(i, i - 1)}>
                  <IconArrowLeft size={14} stroke={1.5} />
                </ActionIcon>
                <ActionIcon
                  size={24}
                  aria-label={t("shop.entry.later", { n: i + 1 })}
                  disabled={i === draft.screenshots.length - 1}
                  onClick={() => move(i, i + 1)}>
                  <IconArrowRight size={14} stroke={1.5} />
                </ActionIcon>
                <ActionIcon
                  size={24}
                  aria-label={t("shop.entry.removeShot", { n: i + 1 })}
                  onClick={() => put(draft.screenshots.filter((_, at) => at !== i))}>
                  <IconTrash size={14} stroke={1.5} />
                </ActionIcon>
              </span>
            </li>
          ))}
        </ul>
      )}
      {shots.error && <p className="fault">{shots.error}</p>}
      <PictureDrop
        label={t("shop.editor.uploadShots")}
        several
        onPicture={({ path }) => put([...screenshots.current, path])}
      />
    </Section>
  );
};
