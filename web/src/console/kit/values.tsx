// Values as tables and summaries show them.
import { formatExact, formatRelative } from "../../text/format";

// Time is relative, with the exact time on hover.
export const Time = ({ at }: { at: string | null | undefined }) =>
  at ? (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  ) : (
    <None />
  );

// None stands for a value that is not there. A stacked row leaves it out.
export const None = () => <span className="none">–</span>;

export type Tone = "good" | "warn" | "bad" | "none";

// State is a state in a word; its color and shape are never the only sign.
export const State = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className="badge" data-tone={tone}>
    {children}
  </span>
);
