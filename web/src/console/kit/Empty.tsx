import type { ReactNode } from "react";

// Empty is a list without entries: what it is for, and one thing to do.
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    {children && <p>{children}</p>}
    {action}
  </div>
);
