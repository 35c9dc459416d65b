// What a tab needs in which staff see the shop as somebody else. The console hands it over in the sessionStorage of
// that tab alone, so that no other tab is anybody else.
import type { User } from "./session";

export interface StandIn {
  token: string;
  endsAt: string;
  write: boolean;
  user: User;
  staff: string;
}

export const key = "stoa-as";

// openAs opens a tab that sees a page of the shop as somebody else; false if the browser does not let it. A tab begins
// with a copy of its opener's storage. Its name tells its pages that they have to look there: all pages load the line
// that asks for it.
export const openAs = (as: StandIn, page: string): boolean => {
  sessionStorage.setItem(key, JSON.stringify(as));
  const tab = window.open(page);
  sessionStorage.removeItem(key);
  if (tab) tab.name = key;
  return tab !== null;
};
