import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { t } from "../text";
import { Page } from "./Page";

// Missing is what stands at an address without a page.
export const Missing = () => (
  <Page title={t("missing.title")}>
    <p className="soft" style={{ margin: 0 }}>
      {t("missing.how")}
    </p>
    <div>
      <Button component={Link} to="/">
        {t("missing.home")}
      </Button>
    </div>
  </Page>
);
