import { ActionIcon, Button, Input, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "../../kit/icons";
import { useId } from "react";
import { readNumber } from "../../../text/number";
import { t } from "../../text";
import type { Field } from "../manifest";

interface ListFieldProps {
  path: string;
  label: string;
  field: Field;
  value: (string | number)[];
  faults: Record<string, string>;
  onChange: (value: unknown) => void;
}

// ListField edits a list of texts or numbers, one line each.
export const ListField = ({ path, label, field, value, faults, onChange }: ListFieldProps) => {
  const id = useId();
  const numbers =
    field.items?.type === "number" ||
    field.items?.type === "integer" ||
    (value.length > 0 && value.every((item) => typeof item === "number"));
  const read = (text: string) => (numbers ? (readNumber(text, { decimals: 15, signed: true }) ?? text) : text);
  const put = (at: number, text: string) => onChange(value.map((item, i) => (i === at ? read(text) : item)));
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      data-path={path}
      {...(field.description ? { description: field.description } : {})}
      {...(field.required ? { required: true } : {})}
      {...(faults[path] ? { error: faults[path] } : {})}>
      <div className="lines" role="group" aria-labelledby={id}>
        {value.map((item, i) => (
          <div key={i} className="line">
            <TextInput
              aria-label={t("plugins.form.item", { label, n: i + 1 })}
              value={String(item)}
              data-path={`${path}[${i}]`}
              onChange={(e) => put(i, e.currentTarget.value)}
              {...(faults[`${path}[${i}]`] ? { error: faults[`${path}[${i}]`] } : {})}
            />
            <ActionIcon
              aria-label={t("plugins.form.remove", { label, n: i + 1 })}
              onClick={() => onChange(value.filter((_, at) => at !== i))}>
              <IconTrash size={16} stroke={1.5} />
            </ActionIcon>
          </div>
        ))}
        <div>
          <Button
            size="xs"
            leftSection={<IconPlus size={14} stroke={1.5} />}
            aria-label={t("plugins.form.addTo", { label })}
            onClick={() => onChange([...value, ""])}>
            {t("plugins.form.add")}
          </Button>
        </div>
      </div>
    </Input.Wrapper>
  );
};
