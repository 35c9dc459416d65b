import { Button, Input, PasswordInput } from "@mantine/core";
import { useId } from "react";
import { State } from "../../kit/values";
import { t } from "../../text";
import type { Field } from "../manifest";
import type { Secret } from "./model";

interface SecretFieldProps {
  name: string;
  field: Field;
  configured: boolean;
  value: Secret;
  error: string | undefined;
  onChange: (value: Secret) => void;
}

// SecretField says whether a secret is set. It can be replaced or removed, never read.
export const SecretField = ({ name, field, configured, value, error, onChange }: SecretFieldProps) => {
  const id = useId();
  const label = field.label ?? name;
  const editing = value.kind === "set";
  return (
    <Input.Wrapper
      id={id}
      label={label}
      labelElement={editing ? "label" : "div"}
      data-path={name}
      {...(field.description ? { description: field.description } : {})}
      {...(field.required ? { required: true } : {})}
      {...(error ? { error } : {})}>
      {editing ? (
        <div className="line">
          <PasswordInput
            id={id}
            autoComplete="new-password"
            autoFocus
            value={value.value}
            error={Boolean(error)}
            visibilityToggleButtonProps={{ "aria-label": t("plugins.form.show") }}
            onChange={(e) => onChange({ kind: "set", value: e.currentTarget.value })}
          />
          <Button onClick={() => onChange({ kind: "keep" })}>{t("plugins.form.keep")}</Button>
        </div>
      ) : (
        <div className="row">
          {value.kind === "clear" ? (
            <State tone="warn">{t("plugins.form.willClear")}</State>
          ) : configured ? (
            <State tone="good">{t("plugins.form.set")}</State>
          ) : (
            <State tone="none">{t("plugins.form.notSet")}</State>
          )}
          <Button
            size="xs"
            aria-label={t(configured ? "plugins.form.replaceWhat" : "plugins.form.enterWhat", { label })}
            onClick={() => onChange({ kind: "set", value: "" })}>
            {t(configured ? "plugins.form.replace" : "plugins.form.enter")}
          </Button>
          {configured &&
            (value.kind === "clear" ? (
              <Button size="xs" onClick={() => onChange({ kind: "keep" })}>
                {t("plugins.form.keep")}
              </Button>
            ) : (
              <Button
                size="xs"
                aria-label={t("plugins.form.clearWhat", { label })}
                onClick={() => onChange({ kind: "clear" })}>
                {t("plugins.form.clear")}
              </Button>
            ))}
        </div>
      )}
    </Input.Wrapper>
  );
};
