import { useMutation } from "@tanstack/react-query";
import { useId, type FormEvent } from "react";
import { api, ok } from "../api/client";
import { own } from "./ownText";
import { Button, Failure, Field, Told } from "./ui";

// ReviewForm writes the buyer's review of a product, or replaces it.
export const ReviewForm = ({ slug }: { slug: string }) => {
  const id = useId();
  const review = useMutation({
    mutationFn: (body: { rating: number; title: string; text: string }) =>
      ok(api.POST("/api/marketplace/products/{slug}/reviews", { params: { path: { slug } }, body })),
  });
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const values = new FormData(e.currentTarget);
    review.mutate({
      rating: Number(values.get("rating")),
      title: String(values.get("title") ?? ""),
      text: String(values.get("text") ?? ""),
    });
  };
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{own("license.review")}</h2>
      <form className="form" onSubmit={send}>
        <div className="form-field">
          <label htmlFor={`${id}-stars`}>{own("license.rating")}</label>
          <select id={`${id}-stars`} className="field" name="rating" defaultValue="" required>
            <option value="" disabled>
              {own("license.noStars")}
            </option>
            {[5, 4, 3, 2, 1].map((n) => (
              <option key={n} value={n}>
                {own.count("license.star", n)}
              </option>
            ))}
          </select>
        </div>
        <Field label={own("license.headline")} name="title" maxLength={200} />
        <div className="form-field">
          <label htmlFor={`${id}-text`}>{own("license.text")}</label>
          <textarea id={`${id}-text`} className="field" name="text" rows={4} maxLength={5000} />
        </div>
        {review.error && <Failure error={review.error} />}
        <Told>{review.isSuccess && own("license.sent")}</Told>
        <p>
          <Button busy={review.isPending}>{own("license.send")}</Button>
        </p>
      </form>
    </section>
  );
};
