import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { api, tagged } from "../../../api/client";
import { ErrorPage, isUnread } from "../../kit/ErrorNote";
import { Page, Section } from "../../kit/Page";
import { Pending } from "../../kit/Pending";
import { SubNav } from "../../kit/SubNav";
import { History } from "../../kit/Timeline";
import { t } from "../../text";
import { PublishedState } from "../values";
import { newDraft } from "./draft";
import { Editor } from "./Editor";
import { ProductActions } from "./ProductActions";
import { savedAs } from "./useSave";

const above = [{ title: t("shop.nav.products"), to: "/shop/products" }];

// useProduct reads a product and the tag of its state.
export const useProduct = (slug: string) =>
  useQuery({
    queryKey: ["products", slug, "tagged"],
    queryFn: () => tagged(api.GET("/api/v1/admin/products/{slug}", { params: { path: { slug } } })),
    refetchOnWindowFocus: false, // what is being edited does not change by itself
  });

export const ProductPage = () => {
  const { slug = "" } = useParams({ strict: false }) as { slug?: string };
  const product = useProduct(slug);
  if (isUnread(product)) return <ErrorPage error={product.error} />;
  if (!product.data) return <Pending />;
  const { value: p, etag } = product.data;
  return (
    <Page
      title={p.name}
      badge={<PublishedState published={p.published} />}
      above={above}
      actions={<ProductActions product={p} etag={etag} />}>
      <ProductTabs slug={slug} />
      <Editor key={p.id} {...savedAs(product.data)} />
      <Section title={t("timeline.title")}>
        <History targets={[`product:${p.id}`]} />
      </Section>
    </Page>
  );
};

export const NewProductPage = () => {
  const navigate = useNavigate();
  return (
    <Page title={t("shop.products.new")} above={above}>
      <Editor base={newDraft()} onCreated={(slug) => void navigate({ to: `/shop/products/${slug}`, replace: true })} />
    </Page>
  );
};

// ProductTabs lead from what a product says to what it delivers.
export const ProductTabs = ({ slug }: { slug: string }) => (
  <SubNav
    label={t("shop.products.parts")}
    entries={[
      { to: `/shop/products/${slug}`, title: t("shop.products.page") },
      { to: `/shop/products/${slug}/packages`, title: t("shop.packages.title") },
    ]}
  />
);
