// What the overview shows of its layout while its answers are on their way.
import { Bar, Busy } from "../kit/Pending";

// Outline stands for the whole page below its title.
export const Outline = () => (
  <Busy>
    <Bar height={46} />
    <div className="section">
      <Bar width={160} height={28} />
      <div className="charts">
        {Array.from({ length: 5 }, (_, i) => (
          <Bar key={i} height={144} />
        ))}
      </div>
    </div>
    <Lists />
  </Busy>
);

// OutlineOfLists stands for what comes below the charts.
export const OutlineOfLists = () => (
  <Busy>
    <Lists />
  </Busy>
);

const Lists = () => (
  <div className="section">
    <Bar width={160} height={28} />
    {Array.from({ length: 5 }, (_, i) => (
      <Bar key={i} height={28} />
    ))}
  </div>
);
