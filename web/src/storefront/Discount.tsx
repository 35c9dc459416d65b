// The field for a discount code at the checkout. It is loaded when a buyer has one.
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent } from "react";
import { api, ok } from "../api/client";
import { asProblem } from "../api/problem";
import { discounts as d } from "./discountText";
import { Field } from "./ui";

// Deal is what a code makes of a price.
export interface Deal {
  code: string;
  discount: number;
  total: number;
}

export interface DiscountProps {
  slug: string;
  tier: string;
  recurs: boolean;
  first: string; // what the address has
  deal: Deal | null;
  onDeal: (deal: Deal | null) => void;
}

const reasons = ["not_found", "not_applicable", "not_started", "expired", "used_up"] as const;

export const Discount = ({ slug, tier, recurs, first, deal, onDeal }: DiscountProps) => {
  const [typed, setTyped] = useState(first);
  const ask = useMutation({
    mutationFn: async (code: string) => {
      const { discount, total } = await ok(
        api.GET("/api/marketplace/products/{slug}/price", {
          params: { path: { slug }, query: { tierId: tier, discountCode: code } },
        }),
      );
      return { code: code.toUpperCase(), discount, total };
    },
    onSuccess: onDeal,
  });
  const { mutate } = ask;
  useEffect(() => {
    if (first) mutate(first);
  }, [first, mutate]);
  const apply = (e: FormEvent) => {
    e.preventDefault();
    const code = typed.trim();
    if (code && !ask.isPending) ask.mutate(code);
  };
  if (deal) {
    return (
      <p className="small" role="status">
        {d("discount.applied", { code: deal.code })} {recurs && `${d("discount.later")} `}
        <button
          className="button slim"
          onClick={() => {
            onDeal(null);
            setTyped("");
            ask.reset();
          }}>
          {d("discount.remove")}
        </button>
      </p>
    );
  }
  return (
    <form className="form" onSubmit={apply} noValidate aria-label={d("discount.label")}>
      <Field
        label={d("discount.label")}
        name="code"
        autoFocus={!first}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={40}
        value={typed}
        onChange={(e) => {
          setTyped(e.target.value);
          ask.reset();
        }}
        fault={ask.error ? refusal(ask.error) : undefined}
      />
      <p>
        <button className="button slim" aria-disabled={ask.isPending}>
          {d("discount.apply")}
        </button>
      </p>
    </form>
  );
};

// refusal says why a code does not hold.
const refusal = (error: unknown): string => {
  const problem = asProblem(error);
  const why = reasons.find((one) => one === problem.details["reason"]);
  if (why) return d(`discount.refused.${why}`);
  return problem.code === "RATE_LIMIT_EXCEEDED" ? d("discount.refused.often") : d("discount.refused.failed");
};
