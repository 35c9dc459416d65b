// The account: screens with addresses of their own, and the way from one to the other.
import { Suspense, useEffect, type ComponentType } from "react";
import { signOut } from "../../api/session";
import { later } from "../later";
import { own } from "../ownText";
import { go, type Params } from "../router";
import { Head, Waiting } from "../ui";
import "./account.css";

interface Screen {
  at: string; // the last part of its address
  name: Parameters<typeof own>[0];
  Content: ComponentType;
}

const screens: readonly [Screen, ...Screen[]] = [
  { at: "", name: "account.screens.profile", Content: later(() => import("./Profile"), "Profile") },
  { at: "sign-in", name: "account.screens.ways", Content: later(() => import("./Ways"), "Ways") },
  { at: "second-step", name: "account.screens.step", Content: later(() => import("./SecondFactor"), "SecondFactor") },
  { at: "devices", name: "account.screens.devices", Content: later(() => import("./Devices"), "DevicesAndActivity") },
  { at: "data", name: "account.screens.data", Content: later(() => import("./Data"), "Data") },
];

const addressOf = (at: string) => `/account${at && `/${at}`}`;

// sections are where the parts went of the one page that the account was: links to them are in people's mails and
// notes.
const sections: Record<string, string> = {
  password: "sign-in",
  passkeys: "sign-in",
  elsewhere: "sign-in",
  "second-step": "second-step",
  sessions: "devices",
  activity: "devices",
};

export const AccountPage = ({ screen = "" }: Params) => {
  const moved = screen ? undefined : sections[location.hash.slice(1)];
  useEffect(() => {
    if (moved) go(addressOf(moved), true);
  }, [moved]);
  const { name, Content } = screens.find(({ at }) => at === screen) ?? screens[0];
  if (moved) return <Waiting like="page" />;
  return (
    <div className="account">
      <nav aria-label={own("account.title")}>
        <ul className="account-nav">
          {screens.map((one) => (
            <li key={one.at}>
              <a href={addressOf(one.at)} aria-current={one.name === name ? "page" : undefined}>
                {own(one.name)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="account-screen">
        <Head title={own(name)} />
        <Suspense fallback={<Waiting />}>
          <Content />
        </Suspense>
        <p className="leave">
          <button type="button" className="button" onClick={() => void signOut()}>
            {own("account.out")}
          </button>
        </p>
      </div>
    </div>
  );
};
