import "../shop.css";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, data, type Schemas } from "../../../api/client";
import { formatBytes } from "../../../text/format";
import { CopyText } from "../../kit/CopyText";
import { Empty } from "../../kit/Empty";
import { ErrorNote } from "../../kit/ErrorNote";
import { Foot } from "../../kit/Foot";
import { Page } from "../../kit/Page";
import { Bar } from "../../kit/Pending";
import { tell } from "../../kit/toast";
import { useListSearch } from "../../kit/useListSearch";
import { Time } from "../../kit/values";
import { May, may } from "../../kit/may";
import { t } from "../../text";
import { ShopNav } from "../ShopNav";
import { DeletePicture } from "./DeletePicture";
import { PictureDrop } from "./PictureDrop";

type Listed = Schemas["ListedPicture"];
const perPage = 24;

// MediaPage has the pictures of the shop. They are stored under a hash of their content,
// so what tells them apart is how they look and where they are used.
export const MediaPage = () => {
  const { page, set } = useListSearch();
  const cache = useQueryClient();
  const list = useQuery({
    queryKey: ["media", page],
    queryFn: () => data(api.GET("/api/v1/admin/media", { params: { query: { page, limit: perPage } } })),
    placeholderData: keepPreviousData,
  });
  const added = () => {
    tell(t("shop.media.done"));
    void cache.invalidateQueries({ queryKey: ["media"] });
  };
  return (
    <Page title={t("shop.nav.media")}>
      <ShopNav />
      <May needs="media:write">
        <PictureDrop label={t("shop.media.upload")} several onPicture={added} />
      </May>
      {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Bar height={120} />}
      {list.data?.pagination.total === 0 && <Empty title={t("shop.media.none")}>{t("shop.media.noneHow")}</Empty>}
      {list.data && list.data.items.length > 0 && (
        <ul className="pictures" aria-busy={list.isFetching}>
          {list.data.items.map((picture) => (
            <li key={picture.path}>
              <PictureCard picture={picture} />
            </li>
          ))}
        </ul>
      )}
      {list.data && list.data.pagination.totalPages > 1 && (
        <Foot pagination={list.data.pagination} onPage={(to) => set({ page: to })} />
      )}
    </Page>
  );
};

const PictureCard = ({ picture: { path, contentType, size, addedAt, usedBy } }: { picture: Listed }) => (
  <>
    <a href={path} target="_blank" rel="noopener">
      <img
        src={path}
        alt={t("shop.media.picture", { use: usedBy.join(", ") || t("shop.media.unused") })}
        loading="lazy"
      />
    </a>
    <div className="row small soft">
      <span>
        {t(`shop.media.type.${contentType}`)} · {formatBytes(size)}
      </span>
      <Time at={addedAt} />
    </div>
    <div className="row small">
      <span className="clip">
        {usedBy.length === 0 ? (
          <span className="soft">{t("shop.media.unused")}</span>
        ) : (
          usedBy.map((slug, i) => (
            <span key={slug}>
              {i > 0 && ", "}
              <Link to="/shop/products/$slug" params={{ slug }}>
                {slug}
              </Link>
            </span>
          ))
        )}
      </span>
      <CopyText value={path} shown="" what={t("shop.media.address")} />
      {usedBy.length === 0 && may("media:write") && <DeletePicture path={path} />}
    </div>
  </>
);
