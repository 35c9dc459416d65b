import { Button } from "@mantine/core";
import { IconStarFilled } from "../../kit/icons";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, data, ok, type Sorts } from "../../../api/client";
import { Confirm } from "../../kit/Confirm";
import { DataTable, type Column } from "../../kit/DataTable";
import { Empty } from "../../kit/Empty";
import { reason } from "../../kit/reason";
import { Filter, ListBar } from "../../kit/ListBar";
import { Page } from "../../kit/Page";
import { tell, tellFailure } from "../../kit/toast";
import { useListSearch } from "../../kit/useListSearch";
import { State, Time } from "../../kit/values";
import { PageLink } from "../../kit/pages";
import { may } from "../../kit/may";
import { t } from "../../text";
import { ShopNav } from "../ShopNav";
import { ProductFilter } from "../filters";
import type { Review } from "../types";

const useReviewChange = () => {
  const cache = useQueryClient();
  const refresh = () => cache.invalidateQueries({ queryKey: ["reviews"] });
  const show = useMutation({
    mutationFn: ({ id, hidden }: { id: string; hidden: boolean }) =>
      data(api.PATCH("/api/v1/admin/reviews/{id}", { params: { path: { id } }, body: { hidden } })),
    onSuccess: (review) => {
      void refresh();
      const undo = {
        label: t(review.hidden ? "shop.reviews.show" : "shop.reviews.hide"),
        run: () => show.mutate({ id: review.id, hidden: !review.hidden }),
      };
      tell(t(review.hidden ? "shop.reviews.isHidden" : "shop.reviews.isShown"), undo);
    },
    onError: (error) => tellFailure(reason(error)),
  });
  return { show, refresh };
};

export const ReviewsPage = () => {
  const { search, page } = useListSearch();
  const { q, product, hidden, sort } = search as Record<string, string | undefined>;
  const { show, refresh } = useReviewChange();
  const [removing, setRemoving] = useState<Review | null>(null);
  const query = useQuery({
    queryKey: ["reviews", { page, q, product, hidden, sort }],
    queryFn: () =>
      data(
        api.GET("/api/v1/admin/reviews", {
          params: {
            query: {
              page,
              ...(q ? { q } : {}),
              ...(product ? { product } : {}),
              ...(hidden ? { hidden: hidden === "true" } : {}),
              ...(sort ? { sort: sort as Sorts<"/api/v1/admin/reviews"> } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const actions: Column<Review> = {
    title: t("shop.reviews.actions"),
    end: true,
    cell: (r) => (
      <span className="row" style={{ justifyContent: "flex-end", flexWrap: "nowrap" }}>
        <Button
          size="xs"
          aria-label={t(r.hidden ? "shop.reviews.showOf" : "shop.reviews.hideOf", { author: r.author })}
          onClick={() => show.mutate({ id: r.id, hidden: !r.hidden })}>
          {t(r.hidden ? "shop.reviews.show" : "shop.reviews.hide")}
        </Button>
        <Button size="xs" aria-label={t("shop.reviews.removeOf", { author: r.author })} onClick={() => setRemoving(r)}>
          {t("shop.reviews.remove")}
        </Button>
      </span>
    ),
  };
  const columns: Column<Review>[] = [
    { title: t("shop.reviews.one"), sort: ["rating", "-rating"], cell: (r) => <ReviewText review={r} /> },
    {
      title: t("shop.product"),
      cell: (r) => <PageLink to={`/shop/products/${r.productSlug}`}>{r.productSlug}</PageLink>,
    },
    {
      title: t("shop.reviews.author"),
      cell: (r) => <PageLink to={`/people/${r.userId}`}>{r.author}</PageLink>,
    },
    { title: t("shop.reviews.written"), sort: ["created", "-created"], cell: (r) => <Time at={r.createdAt} /> },
    ...(may("reviews:moderate") ? [actions] : []),
  ];
  const shown = [
    { value: "false", label: t("shop.reviews.state.shown") },
    { value: "true", label: t("shop.reviews.state.hidden") },
  ];
  return (
    <Page title={t("shop.nav.reviews")}>
      <ShopNav />
      <ListBar label={t("shop.reviews.search")}>
        <ProductFilter />
        <Filter name="hidden" label={t("shop.state")} choices={shown} />
      </ListBar>
      <DataTable
        label={t("shop.nav.reviews")}
        query={query}
        columns={columns}
        keyOf={(r) => r.id}
        order="-created"
        stack
        empty={<Empty title={t("shop.reviews.none")}>{t("shop.reviews.noneHow")}</Empty>}
      />
      {removing && <Remove review={removing} onClose={() => setRemoving(null)} refresh={refresh} />}
    </Page>
  );
};

const ReviewText = ({ review: r }: { review: Review }) => (
  <div className="review">
    <span className="row" style={{ gap: 8 }}>
      <span className="stars" role="img" aria-label={t("shop.reviews.stars", { n: r.rating })}>
        {Array.from({ length: 5 }, (_, i) => (
          <IconStarFilled key={i} size={13} data-off={i >= r.rating || undefined} aria-hidden />
        ))}
      </span>
      {r.title && <strong>{r.title}</strong>}
      {r.hidden && <State tone="warn">{t("shop.reviews.state.hidden")}</State>}
    </span>
    {r.text && <p>{r.text}</p>}
  </div>
);

const Remove = ({
  review,
  onClose,
  refresh,
}: {
  review: Review;
  onClose: () => void;
  refresh: () => Promise<unknown>;
}) => {
  const run = async () => {
    await ok(api.DELETE("/api/v1/admin/reviews/{id}", { params: { path: { id: review.id } } }));
    void refresh();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("shop.reviews.removeOf", { author: review.author })}
      action={t("shop.reviews.remove")}
      effects={[t("shop.reviews.effect.gone"), t("shop.reviews.effect.rating"), t("shop.reviews.effect.again")]}
      run={run}
      done={t("shop.reviews.removed")}
    />
  );
};
