import { ActionIcon, Menu } from "@mantine/core";
import { IconCheck, IconExternalLink, IconUser } from "../kit/icons";
import { useState } from "react";
import { signOut, type User } from "../../api/session";
import { chooseScheme, chosenScheme } from "../../theme/scheme";
import { language } from "../../text";
import { choose } from "../../text/choice";
import { languages, nameOf } from "../../text/languages";
import { c, t } from "../text";
import { chooseRows, chosenRows } from "./rows";

const schemes = ["auto", "light", "dark"] as const;
const heights = ["roomy", "compact"] as const;
const chosen = () => ({ scheme: chosenScheme(), rows: chosenRows() });

// Account is the menu of the signed-in user: the shop, the look of the console, signing out.
export const Account = ({ user }: { user: User }) => {
  const [now, read] = useState(chosen);
  return (
    <Menu onOpen={() => read(chosen)}>
      <Menu.Target>
        <ActionIcon aria-label={t("session.account")}>
          <IconUser size={18} stroke={1.5} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Item component="a" href="/" leftSection={<IconExternalLink size={16} stroke={1.5} />}>
          {t("nav.toShop")}
        </Menu.Item>
        <Menu.Divider />
        <Choices
          label={c("theme.label")}
          now={now.scheme}
          choices={schemes.map((id) => ({ id, word: c(`theme.${id}`) }))}
          onChoose={chooseScheme}
        />
        <Menu.Divider />
        <Choices
          label={t("rows.label")}
          now={now.rows}
          choices={heights.map((id) => ({ id, word: t(`rows.${id}`) }))}
          onChoose={chooseRows}
        />
        <Menu.Divider />
        <Choices
          label={t("session.language")}
          now={language}
          choices={languages.map((id) => ({ id, word: nameOf(id) }))}
          onChoose={(tag) => void choose(tag)}
        />
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{c("signOut")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};

interface ChoicesProps<K> {
  label: string;
  now: K;
  choices: { id: K; word: string }[];
  onChoose: (id: K) => void;
}

// Choices are those of a menu of which one holds, with a mark at that one.
const Choices = <K extends string>({ label, now, choices, onChoose }: ChoicesProps<K>) => (
  <div role="group" aria-label={label}>
    <Menu.Label>{label}</Menu.Label>
    <Menu.RadioGroup value={now} onChange={(id) => onChoose(id as K)}>
      {choices.map(({ id, word }) => (
        <Menu.RadioItem key={id} value={id} checkIcon={<IconCheck size={16} stroke={1.5} />} closeMenuOnClick>
          {word}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  </div>
);
