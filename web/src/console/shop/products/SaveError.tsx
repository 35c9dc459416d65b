import { Button } from "@mantine/core";
import { asProblem } from "../../../api/problem";
import { ErrorNote } from "../../kit/ErrorNote";
import { Time } from "../../kit/values";
import { t } from "../../text";
import { nameOf } from "./faults";
import type { Conflict, useSave } from "./useSave";

// SaveError says why a product was not saved: at its fields if they are wrong, and with a
// choice if somebody else was quicker.
export const SaveError = ({ save }: { save: ReturnType<typeof useSave> }) => {
  const { conflict } = save;
  if (conflict) {
    return (
      <Conflicted
        conflict={conflict}
        mine={save.mine}
        onTheirs={() => void save.take(conflict)}
        onMine={() => save.run({ over: conflict.etag })}
      />
    );
  }
  if (!save.error) return null;
  const { status } = asProblem(save.error);
  const issues = save.faults; // those of fields that were not changed since
  if (status === 412) return null; // until it is known what the other changed
  if (issues.length === 0) return <ErrorNote error={save.error} />;
  return (
    <div className="note" data-tone="bad" role="alert">
      <p>{t.count("shop.editor.faults", issues.length)}</p>
    </div>
  );
};

interface ConflictedProps {
  conflict: Conflict;
  mine: string[];
  onTheirs: () => void;
  onMine: () => void;
}

const Conflicted = ({ conflict: { theirs, fields }, mine, onTheirs, onMine }: ConflictedProps) => {
  const both = fields.filter((field) => mine.includes(field));
  const list = (names: string[]) => names.map(nameOf).join(", ");
  return (
    <div className="note" data-tone="warn" role="alert">
      <h3>
        {t("shop.editor.conflict.title")}{" "}
        <span className="soft">
          <Time at={theirs.updatedAt} />
        </span>
      </h3>
      <p>
        {fields.length > 0
          ? t("shop.editor.conflict.theirs", { fields: list(fields) })
          : t("shop.editor.conflict.nothing")}
      </p>
      <p>
        {both.length > 0 ? t("shop.editor.conflict.both", { fields: list(both) }) : t("shop.editor.conflict.apart")}
      </p>
      <div className="row">
        <Button size="xs" onClick={onMine}>
          {t(both.length > 0 ? "shop.editor.conflict.over" : "shop.editor.conflict.add")}
        </Button>
        <Button size="xs" onClick={onTheirs}>
          {t("shop.editor.conflict.take")}
        </Button>
      </div>
    </div>
  );
};
