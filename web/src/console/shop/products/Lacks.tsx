// What a half-done draft still needs before buyers can see it.
import type { Issue } from "../../../api/problem";
import { t } from "../../text";
import { nameOf } from "./faults";
import type { Draft } from "./draft";

export const Lacks = ({ lacks, draft }: { lacks: Issue[]; draft: Draft }) =>
  lacks.length > 0 && (
    <div className="note" role="note">
      <p>{t("shop.editor.lacks")}</p>
      <ul>
        {[...new Set(lacks.map(({ path = "" }) => placeOf(path, draft)))].map((place) => (
          <li key={place}>{place}</li>
        ))}
      </ul>
    </div>
  );

// placeOf names a field as the editor does: "pricingTiers[0].price" is "Pro: price".
const placeOf = (path: string, draft: Draft): string => {
  const [, list = "", at, leaf] = /^(\w+)(?:\.rows)?\[(\d+)\]\.(\w+)/.exec(path) ?? [];
  if (leaf === undefined) return nameOf(path);
  return t("shop.editor.lacking", { entry: entryOf(list, Number(at), draft), field: nameOf(leaf) });
};

const entryOf = (list: string, i: number, draft: Draft): string => {
  const n = i + 1;
  switch (list) {
    case "pricingTiers":
      return draft.pricingTiers[i]?.name || t("shop.editor.tier", { n });
    case "features":
      return draft.features[i]?.title || t("shop.editor.feature", { n });
    case "faq":
      return draft.faq[i]?.question || t("shop.editor.questionN", { n });
    default:
      return t("shop.editor.row", { n });
  }
};
