import { useEffect, useState, type ReactNode } from "react";
import { c } from "../text";

// After shows its children once something takes longer than a blink.
const After = ({ children }: { children: ReactNode }) => {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return late ? children : null;
};

export const Bar = ({ width = "100%", height = 16 }: { width?: number | string; height?: number }) => (
  <span className="skeleton" style={{ width, height }} />
);

// Busy says that something is being loaded, and holds its outline.
export const Busy = ({ children }: { children: ReactNode }) => (
  <div className="page" aria-busy="true" aria-label={c("loading")} role="status">
    <After>{children}</After>
  </div>
);

// Pending is the outline of a page that is being loaded.
export const Pending = ({ rows = 8 }: { rows?: number }) => (
  <Busy>
    <Bar width={200} height={28} />
    <div className="section">
      {Array.from({ length: rows }, (_, i) => (
        <Bar key={i} height={24} />
      ))}
    </div>
  </Busy>
);
