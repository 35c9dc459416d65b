import { Select, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { Filter, ListBar } from "../../kit/ListBar";
import { may } from "../../kit/may";
import { SaveTable } from "../../kit/SaveTable";
import { useListSearch } from "../../kit/useListSearch";
import { t } from "../../text";
import { OfOne, ProductFilter } from "../filters";
import { bys, type Asked } from "./data";
import { spanOf, spans, type faultOf, type Period, type Span } from "./period";

const spanChoices = spans.map((value) => ({ value, label: t(`shop.figures.span.${value}`) }));
const byChoices = bys.map((value) => ({ value, label: t(`shop.figures.by.${value}`) }));

// Filters choose the period, what a row stands for, and one product, and save what they show.
export const Filters = ({ asked, fault }: { asked: Asked; fault: ReturnType<typeof faultOf> }) => {
  const { search, set } = useListSearch();
  const { from, to, product } = asked;
  const span = spanOf(search);
  const onSpan = (value: string | null) =>
    set(
      value === "own"
        ? { span: undefined, from, to }
        : { span: value === "month" ? undefined : (value as Span), from: undefined, to: undefined },
    );
  return (
    <>
      <ListBar search={false}>
        <Select aria-label={t("shop.figures.period")} data={spanChoices} w={180} value={span} onChange={onSpan} />
        {span === "own" && (
          <>
            <DayField name="from" day={from} />
            <DayField name="to" day={to} />
          </>
        )}
        <Filter name="by" label={t("shop.figures.rows")} choices={byChoices} otherwise="day" />
        {may("products:read") ? <ProductFilter /> : product && <OfOne name="product" label={product} />}
        {fault === undefined && <SaveTable of="reports/revenue" filters={{ ...asked }} />}
      </ListBar>
      {fault && (
        <p className="note" data-tone="bad" role="alert">
          {t(`shop.figures.fault.${fault}`)}
        </p>
      )}
    </>
  );
};

// DayField is one end of the period. A year that is being typed is no day yet.
const DayField = ({ name, day }: { name: keyof Period; day: string }) => {
  const { set } = useListSearch();
  const [typed, setTyped] = useState(day);
  useEffect(() => setTyped(day), [day]);
  const onType = (value: string) => {
    setTyped(value);
    if (value >= "1970") set({ [name]: value });
  };
  return (
    <TextInput
      type="date"
      aria-label={t(`shop.figures.${name}`)}
      title={t(`shop.figures.${name}`)}
      w={150}
      value={typed}
      onChange={(e) => onType(e.currentTarget.value)}
    />
  );
};
