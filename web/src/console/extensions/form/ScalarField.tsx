import { Select, Switch, Textarea, TextInput } from "@mantine/core";
import { NumberField } from "../../kit/NumberField";
import { sent } from "../../../text/number";
import type { Field } from "../manifest";

interface ScalarFieldProps {
  path: string;
  label: string;
  field: Field;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

// More decimals than a number holds.
const anyDecimals = 15;

const inputTypes: Record<string, string> = { email: "email", url: "url" };

export const ScalarField = ({ path, label, field, value, error, onChange }: ScalarFieldProps) => {
  const common = {
    label,
    "data-path": path,
    ...(field.description ? { description: field.description } : {}),
    ...(field.required ? { required: true } : {}),
    ...(error ? { error } : {}),
  };
  if (field.type === "boolean" && !field.enum)
    return <Switch {...common} checked={value === true} onChange={(e) => onChange(e.currentTarget.checked)} />;
  if (field.enum) {
    const choices = field.enum.map(String);
    return (
      <Select
        {...common}
        data={choices}
        clearable={!field.required}
        value={value === undefined || value === "" ? null : String(value)}
        onChange={(chosen) => onChange(chosen === null ? undefined : field.enum?.[choices.indexOf(chosen)])}
      />
    );
  }
  if (field.type === "number" || field.type === "integer") {
    return (
      <NumberField
        {...common}
        signed
        decimals={field.type === "number" ? anyDecimals : 0}
        value={typeof value === "number" || typeof value === "string" ? value : ""}
        onChange={(n) => onChange(sent(n))}
      />
    );
  }
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);
  if (field.type === "textarea")
    return <Textarea {...common} rows={4} value={text} onChange={(e) => onChange(e.currentTarget.value)} />;
  if (field.type === "color") return <ColorField common={common} text={text} onChange={onChange} />;
  return (
    <TextInput
      {...common}
      type={inputTypes[field.type] ?? "text"}
      value={text}
      onChange={(e) => onChange(e.currentTarget.value)}
    />
  );
};

// A color is a text; the swatch before it is the browser's own picker.
const ColorField = ({
  common,
  text,
  onChange,
}: {
  common: { label: string; "data-path": string };
  text: string;
  onChange: (value: string) => void;
}) => (
  <TextInput
    {...common}
    value={text}
    leftSectionPointerEvents="all"
    onChange={(e) => onChange(e.currentTarget.value)}
    leftSection={
      <input
        type="color"
        className="swatch"
        aria-label={common.label}
        value={/^#[0-9a-f]{6}$/i.test(text) ? text : "#000000"}
        onChange={(e) => onChange(e.currentTarget.value)}
      />
    }
  />
);
