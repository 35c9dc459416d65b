// The state of an instance and of a plugin, in a word and a tone.
import type { Tone } from "../kit/values";
import { t } from "../text";
import type { Instance, Package } from "./data";
import { lacking } from "./lacks";

export interface Shown {
  tone: Tone;
  word: string;
  rank: number;
}

const states: Record<Instance["runtime"]["state"], { tone: Tone; rank: number }> = {
  failing: { tone: "bad", rank: 5 },
  open: { tone: "bad", rank: 5 },
  unhealthy: { tone: "warn", rank: 4 },
  starting: { tone: "warn", rank: 2 },
  running: { tone: "good", rank: 1 },
  idle: { tone: "good", rank: 1 },
  unknown: { tone: "none", rank: 1 },
};

// isLapsed says whether the license of a plugin keeps it from running.
export const isLapsed = ({ license }: Package) => license?.state === "lapsed";

// stateOf is the state of an instance of a plugin with that manifest.
export const stateOf = (instance: Instance, manifestJson: string | undefined, lapsed = false): Shown => {
  const { enabled, runtime, lifecycleWarning } = instance;
  if (!enabled && runtime.lastError && !runtime.lastError.over)
    return { tone: "bad", word: t("plugins.state.notLoaded"), rank: 6 };
  if (lacking(instance, manifestJson).length > 0) return { tone: "warn", word: t("plugins.state.lacking"), rank: 2 };
  if (!enabled) return { tone: "none", word: t("plugins.state.disabled"), rank: 0 };
  if (lapsed) return { tone: "bad", word: t("plugins.state.unlicensed"), rank: 5 };
  const { tone, rank } = states[runtime.state];
  if (rank < 3 && lifecycleWarning) return { tone: "warn", word: t("plugins.state.hookFailed"), rank: 3 };
  return { tone, rank, word: t(`plugins.state.${runtime.state}`) };
};

// worst is the state of a plugin: that of the instance which most needs somebody.
export const worst = (
  instances: Instance[],
  manifestJson: string | undefined,
  lapsed = false,
): { instance: Instance; shown: Shown } | undefined =>
  instances
    .map((instance) => ({ instance, shown: stateOf(instance, manifestJson, lapsed) }))
    .sort((a, b) => b.shown.rank - a.shown.rank)[0];

// isBroken says whether somebody should look at an instance.
export const isBroken = (instance: Instance): boolean => stateOf(instance, undefined).rank >= 3;

// shopperSees says what a call of the shop gets while the instance is in its state.
export const shopperSees = ({ enabled, runtime }: Instance): string => {
  if (!enabled) return t("plugins.sees.disabled");
  switch (runtime.state) {
    case "failing":
      return t("plugins.sees.failing");
    case "open":
      return t("plugins.sees.open");
    case "unhealthy":
      return t("plugins.sees.unhealthy");
    case "starting":
      return t("plugins.sees.starting");
    default:
      return t("plugins.sees.well");
  }
};
