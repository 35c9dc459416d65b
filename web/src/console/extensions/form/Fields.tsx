// The fields of a config, or of an object in it.
import type { ReactNode } from "react";
import { isSecret, type Field, type Schema } from "../manifest";
import { JsonField } from "./JsonField";
import { ListField } from "./ListField";
import { canEdit, isObject, type Values } from "./model";
import { ScalarField } from "./ScalarField";

interface FieldsProps {
  schema: Schema;
  values: Values;
  at: string; // the path of values, with a dot at the end
  faults: Record<string, string>;
  onChange: (values: Values) => void;
  onValid: (path: string, ok: boolean) => void;
  // The control of a secret field. Only fields at the top are secret.
  secret?: (name: string, field: Field) => ReactNode;
}

export const Fields = ({ schema, values, at, faults, onChange, onValid, secret }: FieldsProps) => (
  <>
    {Object.entries(schema).map(([name, field]) =>
      isSecret(field) ? (
        secret?.(name, field)
      ) : (
        <OneField
          key={name}
          name={name}
          path={at + name}
          field={field}
          value={values[name]}
          faults={faults}
          onValid={onValid}
          onChange={(value) => onChange({ ...values, [name]: value })}
        />
      ),
    )}
  </>
);

interface OneFieldProps {
  name: string;
  path: string;
  field: Field;
  value: unknown;
  faults: Record<string, string>;
  onChange: (value: unknown) => void;
  onValid: (path: string, ok: boolean) => void;
}

const OneField = ({ name, path, field, value, faults, onChange, onValid }: OneFieldProps) => {
  const label = field.label ?? name;
  const error = faults[path];
  if (!canEdit(field, value)) {
    return (
      <JsonField
        id={path}
        label={label}
        description={field.description}
        required={field.required}
        value={value}
        error={error}
        onChange={onChange}
        onValid={(ok) => onValid(path, ok)}
      />
    );
  }
  if (field.type === "array")
    return (
      <ListField
        path={path}
        label={label}
        field={field}
        value={(value ?? []) as (string | number)[]}
        faults={faults}
        onChange={onChange}
      />
    );
  if (field.type === "object" && field.properties) {
    return (
      <fieldset className="fields">
        <legend>{label}</legend>
        {field.description && <p className="soft small">{field.description}</p>}
        {error && (
          <p className="fault" role="alert">
            {error}
          </p>
        )}
        <Fields
          schema={field.properties}
          values={isObject(value) ? value : {}}
          at={`${path}.`}
          faults={faults}
          onChange={onChange}
          onValid={onValid}
        />
      </fieldset>
    );
  }
  return <ScalarField path={path} label={label} field={field} value={value} error={error} onChange={onChange} />;
};
