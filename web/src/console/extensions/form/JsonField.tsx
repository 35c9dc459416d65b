import { Textarea } from "@mantine/core";
import { useState } from "react";
import { t } from "../../text";
import { isObject } from "./model";

interface JsonFieldProps {
  id: string;
  label: string;
  description?: string | undefined;
  required?: boolean | undefined;
  value: unknown;
  rows?: number;
  error: string | undefined;
  objectOnly?: boolean;
  onChange: (value: unknown) => void;
  onValid: (ok: boolean) => void;
}

// JsonField edits a value as JSON. An empty field is no value.
export const JsonField = ({
  id,
  label,
  description,
  required,
  value,
  rows = 4,
  error,
  objectOnly = false,
  onChange,
  onValid,
}: JsonFieldProps) => {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [wrong, setWrong] = useState("");
  const change = (next: string) => {
    setText(next);
    try {
      const parsed: unknown = next.trim() === "" ? (objectOnly ? {} : undefined) : JSON.parse(next);
      if (objectOnly && !isObject(parsed)) throw new Error(t("plugins.form.notObject"));
      setWrong("");
      onValid(true);
      onChange(parsed);
    } catch (cause) {
      setWrong(cause instanceof Error ? cause.message : t("plugins.form.notJson"));
      onValid(false);
    }
  };
  const shown = wrong || error;
  return (
    <Textarea
      label={label}
      description={description ?? t("plugins.form.asJsonField")}
      rows={rows}
      value={text}
      spellCheck={false}
      data-path={id}
      styles={{ input: { fontFamily: "var(--mono)" } }}
      onChange={(e) => change(e.currentTarget.value)}
      {...(required ? { required: true } : {})}
      {...(shown ? { error: shown } : {})}
    />
  );
};
