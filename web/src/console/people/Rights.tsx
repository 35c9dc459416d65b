import { Checkbox } from "@mantine/core";
import { holdsAll, permissionName } from "../kit/may";
import { t } from "../text";
import "./people.css";
import { byArea } from "./roles";

interface RightsProps {
  all: string[];
  chosen: ReadonlySet<string>;
  // Without it the boxes only show what is.
  onChange?: ((chosen: Set<string>) => void) | undefined;
}

// Rights are permissions to choose from. What the user lacks they cannot give.
export const Rights = ({ all, chosen, onChange }: RightsProps) => {
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    onChange?.(next);
  };
  return (
    <div className="rights">
      {byArea(all).map(({ area, names }) => (
        <fieldset key={area}>
          <legend>{t(`roles.areas.${area}`)}</legend>
          {names.map((name) => (
            <Checkbox
              key={name}
              label={permissionName(name)}
              description={onChange && !holdsAll([name]) ? `${name} · ${t("roles.lacking")}` : name}
              checked={chosen.has(name)}
              disabled={!onChange || !holdsAll([name])}
              onChange={() => toggle(name)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
};

// RightsList says in words what some permissions allow.
export const RightsList = ({ names }: { names: string[] }) => (
  <ul className="change-list">
    {byArea(names).map((group) => (
      <li key={group.area}>
        {t(`roles.areas.${group.area}`)}: {group.names.map(permissionName).join("; ")}
      </li>
    ))}
  </ul>
);
