// What people call the device of a sign-in.
import common from "../../texts/en.json?section=common";
import type { Schemas } from "../api/client";
import { texts } from ".";

const c = texts(common);

export const deviceName = (device: Schemas["Device"] | undefined): string => {
  const { browser, os } = device ?? {};
  if (browser && os) return c("browserOn", { browser, os });
  return browser ?? os ?? c("someDevice");
};
