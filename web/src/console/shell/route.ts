import type { AnyRoute } from "@tanstack/react-router";

// Parent is what an area's routes hang on.
export type Parent = AnyRoute;
