import { lazy, type ComponentType } from "react";
import { Problem } from "../api/problem";
import { Failure } from "./ui";

// later is a part of the shop, with these props, that is loaded when it is first shown.
export const later = <Props, Name extends string = string>(load: () => Promise<Record<Name, unknown>>, name: Name) =>
  lazy(async () => {
    const parts = await load().catch(() => null);
    return { default: (parts?.[name] ?? Unreachable) as ComponentType<Props> };
  });

const Unreachable = () => <Failure error={new Problem(0, "UNREACHABLE", "", "")} retry={() => location.reload()} />;
