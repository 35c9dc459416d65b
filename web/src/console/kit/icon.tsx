import type { ComponentType, SVGProps } from "react";

type Props = Omit<SVGProps<SVGSVGElement>, "stroke"> & {
  size?: number;
  stroke?: number; // the width of lines
};

export type Icon = ComponentType<Props>;

// icon draws paths on Tabler's grid: lines, or filled if the name says so.
export const icon = (name: string, paths: string[]): Icon => {
  const filled = name.endsWith("-filled");
  return ({ size = 24, stroke = 2, className = "", ...rest }) => (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill={filled ? "currentColor" : "none"}
      stroke={filled ? "none" : "currentColor"}
      strokeWidth={filled ? undefined : stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`tabler-icon tabler-icon-${name} ${className}`.trim()}
      {...rest}>
      {paths.map((d) => (
        <path key={d} d={d} />
      ))}
    </svg>
  );
};
