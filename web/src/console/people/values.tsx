import { State } from "../kit/values";
import { t } from "../text";

export const PersonState = ({ active }: { active: boolean }) => (
  <State tone={active ? "good" : "bad"}>{t(active ? "people.states.active" : "people.states.blocked")}</State>
);
