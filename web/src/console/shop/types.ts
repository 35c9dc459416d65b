import type { Schemas } from "../../api/client";

export type Order = Schemas["ManagedOrder"];
export type License = Schemas["ManagedLicense"];
export type Discount = Schemas["Discount"];
export type Product = Schemas["ManagedProduct"];
export type ProductItem = Schemas["ManagedProductItem"];
export type Review = Schemas["ManagedReview"];
export type User = Schemas["ManagedUser"];
