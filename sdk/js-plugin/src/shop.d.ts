/** What the platform API tells of the shop. The reference is /docs of a stoa. */

export interface Pagination {
  readonly page: number;
  readonly limit: number;
  /** Entries on all pages. */
  readonly total: number;
  readonly totalPages: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly pagination: Pagination;
}

export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  /** Entries per page: 1 to 100, 20 by default. */
  readonly limit?: number | undefined;
}

/** The price that lists show. */
export interface Pricing {
  readonly type: 'free' | 'paid';
  readonly price?: number;
  readonly currency?: string;
}

export interface Product {
  readonly id: string;
  readonly type: 'PRODUCT';
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly shortDescription: string;
  /** A path on the shop's server or a URL, as are `screenshots`. */
  readonly icon: string;
  readonly screenshots: readonly string[];
  readonly pricing: Pricing;
  readonly rating: number;
  readonly reviewCount: number;
  readonly downloadCount: number;
  readonly featured: boolean;
  readonly trending: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly category: string;
  readonly highlights: readonly string[];
}

export interface PricingTier {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly price: number;
  readonly currency: string;
  readonly billingPeriod?: 'monthly' | 'yearly' | 'one-time';
  readonly features: readonly string[];
  readonly highlighted?: boolean;
  readonly maxInstances?: number;
  /** How long the tier can be tried. Absent if it cannot. */
  readonly trialDays?: number;
}

export interface ProductDetail extends Product {
  readonly fullDescription: string;
  readonly features: readonly {
    readonly title: string;
    readonly description: string;
    readonly items: readonly string[];
  }[];
  readonly pricingTiers: readonly PricingTier[];
  readonly faq: readonly { readonly question: string; readonly answer: string }[];
  /** For how many days after the payment a buyer can give an order back. */
  readonly refundDays?: number;
  readonly comparison?: {
    /** Tier ids. */
    readonly columns: readonly string[];
    readonly rows: readonly {
      readonly feature: string;
      readonly values: { readonly [tierId: string]: boolean | string };
    }[];
  };
  readonly package?: { readonly kind: string; readonly slug: string; readonly version: string };
}

export type OrderStatus = 'pending' | 'paid' | 'refunded' | 'cancelled';

export interface Order {
  readonly id: string;
  readonly productId: string;
  readonly productSlug: string;
  readonly productName: string;
  readonly tierId: string;
  /** The buyer; `anonymous` if nobody was signed in. */
  readonly userId: string;
  readonly paymentMethod: string;
  /** With the permission `users:email` only. */
  readonly billingInfo?: { readonly name?: string; readonly email?: string; readonly company?: string };
  /** In the currency's main unit. */
  readonly amount: number;
  /** What a discount code took off the price. Absent without one. */
  readonly discount?: { readonly code: string; readonly amount: number; readonly duration: 'once' | 'forever' };
  readonly currency: string;
  /** What was paid without tax, the tax, and their sum. Absent if tax is not known. */
  readonly net?: number;
  readonly tax?: number;
  readonly total?: number;
  /** With the permission `users:email` only. */
  readonly taxId?: string;
  /** Of the buyer (ISO 3166). */
  readonly country?: string;
  /** The payment provider's. With the permission `users:email`, `url` and `pdf` are there too. */
  readonly invoice?: { readonly number: string; readonly url?: string; readonly pdf?: string };
  readonly partlyRefunded?: number;
  readonly status: OrderStatus;
  readonly licenseId: string;
  readonly createdAt: string;
  /** The subscription ends with its present period: it is not renewed. */
  readonly ends?: boolean;
  /** The order gave a trial. */
  readonly trial?: boolean;
  /** What a further order of a license is for. */
  readonly kind?: 'change' | 'renewal';
  /** A sample of `stoa serve --demo`. */
  readonly demo?: boolean;
}

export type LicenseStatus = 'active' | 'expired' | 'revoked';

export interface License {
  readonly id: string;
  readonly productId: string;
  readonly type: 'perpetual' | 'subscription';
  readonly status: LicenseStatus;
  readonly features: readonly string[];
  readonly maxInstances: number;
  readonly currentInstances: number;
  readonly expiresAt?: string;
  readonly createdAt: string;
  readonly productSlug: string;
  readonly productName: string;
  readonly tierId: string;
  /** The owner, or `anonymous`. */
  readonly userId: string;
  /** Until the order is paid, the license does not work. */
  readonly paid: boolean;
  readonly developmentInstances: number;
  readonly periodMonths?: number;
  readonly revokedAt?: string;
  /** The subscription ends with its present period: it is not renewed. */
  readonly ends?: boolean;
  /** The license is a trial, which was not bought. */
  readonly trial?: boolean;
  /** The tier from the next period on; absent if it stays. */
  readonly next?: { readonly tierId: string; readonly at?: string };
  /** A sample of `stoa serve --demo`. */
  readonly demo?: boolean;
}

export interface User {
  readonly id: string;
  readonly username: string;
  /** `USER`, `ADMIN`, or another. */
  readonly role: string;
  readonly avatar: string | null;
  /** With the permission `users:email` only. */
  readonly email?: string;
}
