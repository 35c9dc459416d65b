// Small charts: bars over time. What they show is also a table for those who cannot see
// them, and each bar has its value on hover.
import type { ReactNode } from "react";
import { language } from "../../text";
import { formatExact } from "../../text/format";

export interface Bar {
  at: string;
  name?: string; // what the time is called, if not by the clock of whoever looks
  value: number;
  bad?: number;
  text: string;
}

// Figure is a chart with its title and what it comes to in a word.
export const Figure = ({
  title,
  total,
  note,
  children,
}: {
  title: string;
  total: string;
  note?: string | undefined;
  children?: ReactNode;
}) => (
  <div className="figure">
    <h3>{title}</h3>
    <p className="figure-total">{total}</p>
    <p className="figure-note">{note}</p>
    {children}
  </div>
);

const clock = new Intl.DateTimeFormat(language, { weekday: "short", hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });

const nameOf = ({ at, name }: Bar): string => name ?? formatExact(at);

// shortly is a time at the end of an axis: within two days the hour with its weekday, because 24 hours
// end at the hour they begin with; else the day.
const shortly = (bars: Bar[], at: string): string => {
  const span = new Date(bars.at(-1)?.at ?? at).getTime() - new Date(bars[0]?.at ?? at).getTime();
  return (span <= 2 * 86_400_000 ? clock : day).format(new Date(at));
};

// Chart draws values as bars, with the part that is bad in red at the bottom. The text of
// a bar says both, so that color is not the only sign.
export const Chart = ({ label, bars, height = 56 }: { label: string; bars: Bar[]; height?: number }) => {
  const top = Math.max(1, ...bars.map((b) => b.value));
  const width = 100 / bars.length;
  const size = (value: number) => (value === 0 ? 0 : Math.max(2, (value / top) * (height - 2)));
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <figure className="chart">
      <svg
        viewBox={`0 0 100 ${height}`}
        preserveAspectRatio="none"
        height={height}
        width="100%"
        role="img"
        aria-label={label}>
        <line
          x1="0"
          x2="100"
          y1={height - 0.5}
          y2={height - 0.5}
          className="chart-base"
          vectorEffect="non-scaling-stroke"
        />
        {bars.map((b, i) => (
          <g key={b.at}>
            <title>{`${nameOf(b)}: ${b.text}`}</title>
            <rect className="chart-hit" x={i * width} y="0" width={width} height={height} />
            <rect
              className="chart-bar"
              x={i * width + width * 0.12}
              y={height - size(b.value)}
              width={width * 0.76}
              height={size(b.value)}
            />
            {b.bad ? (
              <rect
                className="chart-bad"
                x={i * width + width * 0.12}
                y={height - size(b.bad)}
                width={width * 0.76}
                height={size(b.bad)}
              />
            ) : null}
          </g>
        ))}
      </svg>
      <div className="chart-ends" aria-hidden>
        <span>{first && (first.name ?? shortly(bars, first.at))}</span>
        <span>{last && (last.name ?? shortly(bars, last.at))}</span>
      </div>
      <table className="sr">
        <caption>{label}</caption>
        <tbody>
          {bars
            .filter((b) => b.value > 0)
            .map((b) => (
              <tr key={b.at}>
                <th scope="row">{nameOf(b)}</th>
                <td>{b.text}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
};
