// The attempts of a delivery: when each was made, and what came back.
import type { Schemas } from "../../api/client";
import { formatDuration } from "../../text/format";
import { t } from "../text";
import { Time } from "./values";

type Attempt = Schemas["DeliveryAttempt"];

export const Attempts = ({ attempts }: { attempts: Attempt[] }) => (
  <>
    <h3>{t.count("deliveries.attemptCount", attempts.length)}</h3>
    <ol className="attempts" tabIndex={0} aria-label={t("deliveries.attempts")}>
      {attempts.toReversed().map((a) => (
        <li key={a.number}>
          <div className="row">
            <strong>{t("deliveries.attempt", { n: a.number })}</strong>
            <Time at={a.at} />
            <span className="soft">{formatDuration(a.durationMs)}</span>
            {a.status && <code>{a.status}</code>}
          </div>
          {a.error && <p className="fault wrap">{a.error}</p>}
          {a.headers && <Text label={t("deliveries.headers")} text={linesOf(a.headers)} />}
          {a.response && <Text label={t("deliveries.body")} text={a.response} />}
        </li>
      ))}
    </ol>
  </>
);

const linesOf = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

// Text is a text as it was sent or received.
export const Text = ({ label, text }: { label: string; text: string }) => (
  <>
    <span className="soft">{label}</span>
    <pre className="answer" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  </>
);
