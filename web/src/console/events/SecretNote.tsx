import { CopyText } from "../kit/CopyText";
import { formatExact } from "../../text/format";
import { t } from "../text";

// SecretNote shows a new signing secret, the only time that it is shown.
export const SecretNote = ({ secret, previousUntil }: { secret: string; previousUntil?: string }) => (
  <div className="note" data-tone="warn" role="status">
    <p>{t("events.webhooks.secretOnce")}</p>
    <CopyText value={secret} what={t("events.webhooks.secret")} />
    {previousUntil && <p>{t("events.webhooks.previousUntil", { at: formatExact(previousUntil) })}</p>}
  </div>
);
