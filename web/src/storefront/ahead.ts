// What buyers come back for is loaded when it is opened; a purchase does not wait for it.
export const loadOwn = () => import("./own");
export const loadSignIn = () => import("./SignInPage");
export const loadContinue = () => import("./ContinuePage");
export const loadOrder = () => import("./OrderPage");

// inAdvance loads what will be needed soon. If that fails, the page that needs it shows it.
export const inAdvance = (load: () => Promise<unknown>): void => void load().catch(() => undefined);
