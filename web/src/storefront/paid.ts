// What an order costs, and what a discount code took off it. Its words come with the pages of orders, because the
// way to a purchase is to be light.
import section from "../../texts/en.json?section=shop&only=paid";
import { texts } from "../text";
import { formatMoney } from "../text/format";
import type { KeptOrder } from "./kept";
import { t } from "./text";

const p = texts(section);

export interface Costs {
  amount: number;
  currency: string;
  billingPeriod?: KeptOrder["billingPeriod"];
  // A tab does not know for how long a code holds: only the order does.
  discount?: { code: string; amount: number; duration?: "once" | "forever" } | undefined;
}

// keptCosts are those of an order of this tab.
export const keptCosts = ({ amount, currency, billingPeriod, deal }: KeptOrder): Costs => ({
  amount,
  currency,
  billingPeriod,
  discount: deal ? { code: deal.code, amount: deal.discount } : undefined,
});

// regular is what each later payment is.
export const regular = ({ amount, currency, discount }: Costs): string =>
  formatMoney(amount + (discount?.duration === "once" ? discount.amount : 0), currency);

// price is what an order costs, and how often.
export const price = (order: Costs): string => {
  const { amount, currency, billingPeriod: period, discount } = order;
  if (amount === 0) return t("page.free");
  const now = formatMoney(amount, currency);
  if (!period || period === "one-time" || (discount && !discount.duration)) return now;
  const each = p(`paid.each.${period}`, { price: regular(order) });
  return discount?.duration === "once" ? p("paid.then", { now, each }) : each;
};

// off is what a code took off: its name, and how much.
export const off = ({ currency, discount }: Costs): [string, string] | null =>
  discount ? [p("paid.discount", { code: discount.code }), formatMoney(-discount.amount, currency)] : null;
