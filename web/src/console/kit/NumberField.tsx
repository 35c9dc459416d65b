import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { readNumber, writeNumber, type NumberForm, type Typed } from "../../text/number";
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
  const example = writeNumber(decimals > 0 ? 1234.5 : 1234, form);
  return (
    <TextInput
      {...rest}
      inputMode={decimals > 0 ? "decimal" : "numeric"}
      value={shown}
      error={unreadable ? t(decimals > 0 ? "fields.notANumber" : "fields.notWhole", { example }) : error}
      onChange={(e) => {
        const typed = e.currentTarget.value;
        setText(typed);
        onChange(typed.trim() === "" ? "" : (readNumber(typed, form) ?? typed));
      }}
      onBlur={() => setText(null)}
    />
  );
};
