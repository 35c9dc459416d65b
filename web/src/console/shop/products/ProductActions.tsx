import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots, IconExternalLink } from "../../kit/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, data, ok } from "../../../api/client";
import { Confirm } from "../../kit/Confirm";
import { May, may } from "../../kit/may";
import { t } from "../../text";
import type { Product } from "../types";
import { asBody } from "./draft";

// ProductActions put a product on sale, take it off, and delete one that nobody bought.
export const ProductActions = ({ product, etag }: { product: Product; etag: string }) => {
  const [open, setOpen] = useState<"publish" | "archive" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      {product.published ? (
        <Button
          component="a"
          href={`/p/${product.slug}`}
          target="_blank"
          rel="noopener"
          rightSection={<IconExternalLink size={14} stroke={1.5} aria-hidden />}>
          {t("shop.products.see")}
        </Button>
      ) : (
        may("products:write") && (
          <Button variant="filled" disabled={(product.lacks ?? []).length > 0} onClick={() => setOpen("publish")}>
            {t("shop.products.publish.action")}
          </Button>
        )
      )}
      <May needs="products:write">
        {" "}
        <Menu>
          <Menu.Target>
            <ActionIcon variant="default" aria-label={t("shop.products.more")}>
              <IconDots size={18} stroke={1.5} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {product.published && (
              <Menu.Item onClick={() => setOpen("archive")}>{t("shop.products.archive.action")}</Menu.Item>
            )}
            <Menu.Item onClick={() => setOpen("delete")}>{t("shop.products.delete.action")}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </May>
      {open && <Dialog what={open} product={product} etag={etag} onClose={close} />}
    </>
  );
};

interface DialogProps {
  what: "publish" | "archive" | "delete";
  product: Product;
  etag: string;
  onClose: () => void;
}

const Dialog = ({ what, product: { slug, name }, etag, onClose }: DialogProps) => {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const params = { path: { slug }, header: { "If-Match": etag } };
  const run = async () => {
    if (what === "delete") {
      await ok(api.DELETE("/api/v1/admin/products/{slug}", { params }));
      await navigate({ to: "/shop/products" });
    } else {
      await data(
        api.PATCH("/api/v1/admin/products/{slug}", { params, body: asBody({ published: what === "publish" }) }),
      );
    }
    void Promise.all(["products", "audit"].map((key) => cache.invalidateQueries({ queryKey: [key] })));
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={t(`shop.products.${what}.title`, { name })}
      danger={what !== "publish"}
      action={t(`shop.products.${what}.action`)}
      effects={[t(`shop.products.${what}.first`), t(`shop.products.${what}.second`)]}
      run={run}
      done={t(`shop.products.${what}.done`, { name })}
    />
  );
};
