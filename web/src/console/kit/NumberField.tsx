import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { readNumber, twoReadings, writeNumber, type NumberForm, type Typed } from "../../text/number";
import { t } from "../text";

interface NumberFieldProps extends Omit<TextInputProps, "value" | "onChange" | "form">, Partial<NumberForm> {
  value: Typed;
  onChange: (value: Typed) => void;
}

// NumberField is a field for a number. When it is left, it shows the number as it was understood.
export const NumberField = ({ value, onChange, decimals = 0, signed = false, error, ...rest }: NumberFieldProps) => {
  const form = { decimals, signed };
  const [text, setText] = useState<string | null>(null); // what is being typed
  const unreadable = typeof value === "string" && value !== "";
  const shown = text ?? (typeof value === "number" ? writeNumber(value, form) : value);
  return (
    <TextInput
      {...rest}
      inputMode={decimals > 0 ? "decimal" : "numeric"}
      value={shown}
      error={unreadable ? unreadableText(value, form) : error}
      onChange={(e) => {
        const typed = e.currentTarget.value;
        setText(typed);
        onChange(typed.trim() === "" ? "" : (readNumber(typed, form) ?? typed));
      }}
      onBlur={() => setText(null)}
    />
  );
};

// unreadableText says why a text is no number, and how to write one.
const unreadableText = (text: string, form: NumberForm): string => {
  const both = twoReadings(text);
  if (both) return t("fields.twoReadings", both);
  return form.decimals > 0
    ? t("fields.notANumber", { example: writeNumber(1234.5, form) })
    : t("fields.notWhole", { example: "1234" });
};
