import { Button } from "@mantine/core";
import { ErrorNote } from "../kit/ErrorNote";
import { t } from "../text";

interface ByMailProps {
  sent: boolean;
  busy: boolean;
  error: Error | null;
  onAsk: () => void;
}

// ByMail is for administrators who have neither a password nor a second factor: a code is mailed to them.
export const ByMail = ({ sent, busy, error, onAsk }: ByMailProps) => (
  <>
    {sent && (
      <p style={{ margin: 0 }} role="status">
        {t("proof.mailed")}
      </p>
    )}
    <Button loading={busy} onClick={onAsk}>
      {t(sent ? "proof.mailAgain" : "proof.mail")}
    </Button>
    {error && <ErrorNote error={error} />}
  </>
);
