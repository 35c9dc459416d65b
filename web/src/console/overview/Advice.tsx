import { Button } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { t } from "../text";

let dismissed = false; // for this visit

// Advice suggests a second factor to an administrator without one, where the platform wants it to.
export const Advice = ({ factor }: { factor: Schemas["Account"]["secondFactor"] }) => {
  const [hidden, setHidden] = useState(dismissed);
  if (hidden || !factor.advised || factor.totp || factor.passkeys > 0) return null;
  const dismiss = () => {
    dismissed = true;
    setHidden(true);
  };
  return (
    <div className="note">
      <p>{t("factor.advice")}</p>
      <div className="row">
        <Button size="xs" component="a" href="/account/second-step">
          {t("factor.adviceHow")}
        </Button>
        <Button size="xs" onClick={dismiss}>
          {t("factor.dismiss")}
        </Button>
      </div>
    </div>
  );
};
