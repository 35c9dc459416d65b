import { Button } from "@mantine/core";
import { CopyText } from "../kit/CopyText";
import { t } from "../text";
import type { Made } from "./apiKeys";

// ShownKey shows a key with its secret, the only time that it is shown.
export const ShownKey = ({ made, onDone }: { made: Made; onDone: () => void }) => (
  <div className="note" data-tone="warn" role="status">
    <p>{t("settings.apiKeys.shown", { name: made.name })}</p>
    <CopyText value={made.key} what={t("settings.apiKeys.key")} />
    <div>
      <Button size="xs" onClick={onDone}>
        {t("settings.apiKeys.done")}
      </Button>
    </div>
  </div>
);
