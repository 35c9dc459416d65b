import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ok } from "../../../api/client";
import { asProblem, inOwnWords, Problem } from "../../../api/problem";
import { Confirm } from "../../kit/Confirm";
import { t } from "../../text";

// DeletePicture deletes a picture that no product shows.
export const DeletePicture = ({ path }: { path: string }) => {
  const [asked, setAsked] = useState(false);
  const cache = useQueryClient();
  const run = async () => {
    try {
      await ok(api.DELETE("/api/v1/admin/media/{file}", { params: { path: { file: path.replace("/media/", "") } } }));
    } catch (error) {
      throw withNames(asProblem(error));
    }
    void cache.invalidateQueries({ queryKey: ["media"] });
  };
  return (
    <>
      <Button size="xs" onClick={() => setAsked(true)}>
        {t("shop.media.delete.button")}
      </Button>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={t("shop.media.delete.title")}
        effects={[t("shop.media.delete.effect1"), t("shop.media.delete.effect2")]}
        action={t("shop.media.delete.action")}
        run={run}
        done={t("shop.media.delete.done")}>
        <img
          src={path}
          alt=""
          style={{ maxHeight: 120, maxWidth: "100%", objectFit: "contain", alignSelf: "flex-start" }}
        />
      </Confirm>
    </>
  );
};

// withNames puts the products that show a picture into the message of the refusal.
const withNames = (problem: Problem): Problem => {
  const { products, total } = problem.details;
  if (!Array.isArray(products)) return problem;
  const names = products.join(", ");
  const more = Number(total) - products.length;
  const message =
    more > 0 ? t("shop.media.delete.usedMore", { names, n: more }) : t("shop.media.delete.used", { names });
  return new Problem(problem.status, inOwnWords, message, problem.requestId, problem.details);
};
