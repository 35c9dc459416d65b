// A small chart of counts over time: bars, of which a part may be marked as bad. What it
// shows is also there as text, and as a table for those who open it.
import type { ReactNode } from "react";

export interface Bars { at: string; value: number; bad: number }

interface ChartProps {
  title: string;
  // What the chart says, in words.
  summary: ReactNode;
  points: Bars[];
  // The same as a table: its summary line, and its columns for time, value and bad.
  tableTitle: string;
  columns: [time: string, value: string, bad: string];
  timeOf: (at: string) => string;
  numberOf: (n: number) => string;
  // What stands for the height of the chart: its highest value.
  mostOf: (n: number) => string;
}

const height = 64, gap = 1, step = 10;

export const Chart = ({ title, summary, points, tableTitle, columns, timeOf, numberOf, mostOf }: ChartProps) => {
  const most = Math.max(1, ...points.map((p) => p.value));
  const y = (n: number) => (n === 0 ? 0 : Math.max(2, (n / most) * height));
  return (
    <figure className="chart">
      <figcaption><h3>{title}</h3><p className="soft">{summary}</p></figcaption>
      <svg viewBox={`0 0 ${points.length * step} ${height}`} preserveAspectRatio="none" aria-hidden focusable="false">
        {points.map((p, i) => (
          <g key={p.at}>
            <rect x={i * step} y={height - y(p.value)} width={step - gap} height={y(p.value)} className="chart-bar" />
            {p.bad > 0 && <rect x={i * step} y={height - y(p.bad)} width={step - gap} height={y(p.bad)} className="chart-bad" />}
          </g>
        ))}
      </svg>
      <div className="chart-ends soft small" aria-hidden><span>{points[0] && timeOf(points[0].at)}</span><span>{mostOf(most)}</span><span>{points.at(-1) && timeOf((points.at(-1) as Bars).at)}</span></div>
      <details>
        <summary className="small soft">{tableTitle}</summary>
        <div className="chart-table" tabIndex={0} role="group" aria-label={tableTitle}>
          <table className="table" data-dense>
            <thead><tr>{columns.map((name, i) => <th key={name} scope="col" className={i > 0 ? "end" : undefined}>{name}</th>)}</tr></thead>
            <tbody>{points.filter((p) => p.value > 0).map((p) => <tr key={p.at}><td>{timeOf(p.at)}</td><td className="end">{numberOf(p.value)}</td><td className="end">{numberOf(p.bad)}</td></tr>)}</tbody>
          </table>
        </div>
      </details>
    </figure>
  );
};
