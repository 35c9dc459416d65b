import { language } from "../../../text";

const formats = new Map<string, Intl.NumberFormat>();

// formatAmount writes an amount with all decimals of its currency, so that those in a column can be compared.
export const formatAmount = (amount: number, currency: string): string => {
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat(language, { style: "currency", currency });
    formats.set(currency, format);
  }
  return format.format(amount);
};
