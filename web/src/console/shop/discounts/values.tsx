// What a discount is worth, and whether it holds.
import { formatDay, formatMoney, formatPercent } from "../../../text/format";
import { State } from "../../kit/values";
import { t } from "../../text";
import type { Discount } from "../types";

export const key = ["discounts"];

export const worth = (d: Discount): string =>
  d.percentOff ? formatPercent(d.percentOff) : formatMoney(d.amountOff ?? 0, d.currency ?? "EUR");

export const usesOf = (d: Discount): string =>
  d.maxUses ? t("shop.discounts.usesOf", { used: d.uses, all: d.maxUses }) : String(d.uses);

const stateOf = (d: Discount, now = new Date().toISOString()) => {
  if (!d.active) return "off";
  if (d.endsAt && d.endsAt <= now) return "over";
  if (d.startsAt && d.startsAt > now) return "later";
  return d.maxUses && d.uses >= d.maxUses ? "usedUp" : "active";
};

export const DiscountState = ({ discount }: { discount: Discount }) => {
  const state = stateOf(discount);
  return <State tone={state === "active" ? "good" : "none"}>{t(`shop.discounts.state.${state}`)}</State>;
};

export const validity = ({ startsAt, endsAt }: Discount): string => {
  if (startsAt && endsAt) return t("shop.discounts.span", { from: formatDay(startsAt), to: formatDay(endsAt) });
  if (startsAt) return t("shop.discounts.from", { day: formatDay(startsAt) });
  return endsAt ? t("shop.discounts.until", { day: formatDay(endsAt) }) : t("shop.discounts.always");
};
