import { ActionIcon, Button, PasswordInput, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "../kit/icons";
import { useState } from "react";
import { State } from "../kit/values";
import { t } from "../text";

// Change is what will be sent: names with new values, null for names that go.
export type Change = Record<string, string | null>;

interface EnvironmentProps {
  names: string[];
  change: Change;
  onChange: (change: Change) => void;
  faults: Map<string | undefined, string>;
}

// Environment lists the names of variables. Their values are never shown, only replaced.
export const Environment = ({ names, change, onChange, faults }: EnvironmentProps) => {
  const [name, setName] = useState("");
  const without = (gone: string) => Object.fromEntries(Object.entries(change).filter(([n]) => n !== gone));
  const add = () => {
    if (name.trim() !== "") {
      onChange({ ...change, [name.trim()]: "" });
      setName("");
    }
  };
  const all = [...new Set([...names, ...Object.keys(change)])];
  return (
    <fieldset className="fields">
      <legend>{t("plugins.env.title")}</legend>
      <p className="soft" style={{ margin: 0 }}>
        {t("plugins.env.how")}
      </p>
      {faults.has("environment") && (
        <p className="fault" role="alert">
          {faults.get("environment")}
        </p>
      )}
      {all.map((variable) => {
        const value = change[variable];
        const fault = faults.get(`environment.${variable}`);
        return (
          <div key={variable} className="env">
            <code className="wrap">{variable}</code>
            {value === undefined ? (
              <>
                <State tone="good">{t("plugins.form.set")}</State>
                <Button
                  size="xs"
                  aria-label={t("plugins.form.replaceWhat", { label: variable })}
                  onClick={() => onChange({ ...change, [variable]: "" })}>
                  {t("plugins.form.replace")}
                </Button>
              </>
            ) : value === null ? (
              <>
                <State tone="warn">{t("plugins.form.willClear")}</State>
                <Button size="xs" onClick={() => onChange(without(variable))}>
                  {t("plugins.form.keep")}
                </Button>
              </>
            ) : (
              <PasswordInput
                aria-label={t("plugins.env.value", { name: variable })}
                placeholder={t("plugins.env.newValue")}
                autoComplete="new-password"
                value={value}
                visibilityToggleButtonProps={{ "aria-label": t("plugins.form.show") }}
                onChange={(e) => onChange({ ...change, [variable]: e.currentTarget.value })}
                {...(fault ? { error: fault } : {})}
              />
            )}
            {value !== null && (
              <ActionIcon
                aria-label={t("plugins.env.remove", { name: variable })}
                onClick={() =>
                  onChange(names.includes(variable) ? { ...change, [variable]: null } : without(variable))
                }>
                <IconTrash size={16} stroke={1.5} />
              </ActionIcon>
            )}
          </div>
        );
      })}
      <div className="line">
        <TextInput
          aria-label={t("plugins.env.name")}
          placeholder={t("plugins.env.name")}
          value={name}
          onChange={(e) => setName(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter") {
              e.preventDefault();
              add();
            }
          }}
        />
        <Button leftSection={<IconPlus size={14} stroke={1.5} />} onClick={add} disabled={name.trim() === ""}>
          {t("plugins.env.add")}
        </Button>
      </div>
    </fieldset>
  );
};
