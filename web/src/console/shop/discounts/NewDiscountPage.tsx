import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, data } from "../../../api/client";
import { Page } from "../../kit/Page";
import { tell } from "../../kit/toast";
import { t } from "../../text";
import { DiscountForm, type DiscountBody } from "./DiscountForm";
import { key } from "./values";

export const NewDiscountPage = () => {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (body: DiscountBody) =>
      data(api.POST("/api/v1/admin/discounts", { body: body as DiscountBody & { code: string } })),
    onSuccess: async (made) => {
      await cache.invalidateQueries({ queryKey: key });
      tell(t("shop.discounts.created"));
      await navigate({ to: "/shop/discounts/$id", params: { id: made.id } });
    },
  });
  return (
    <Page title={t("shop.discounts.new")} above={[{ title: t("shop.nav.discounts"), to: "/shop/discounts" }]}>
      <DiscountForm
        action={t("shop.discounts.new")}
        pending={create.isPending}
        error={create.error}
        onSave={(body) => create.mutate(body)}
      />
    </Page>
  );
};
