// Whether somebody who typed a password is asked, once in this browser, to use a passkey next time.
const key = "stoa-passkey-offered";
let due = false;

// offerPasskey is for whoever signs in with a password.
export const offerPasskey = (): void => {
  try {
    due = localStorage.getItem(key) === null;
  } catch {
    due = false; // without storage they would be asked each time
  }
};

export const offersPasskey = (): boolean => due;

// passkeyOffered keeps that they were asked.
export const passkeyOffered = (): void => {
  try {
    localStorage.setItem(key, "1");
  } catch {
    // Then nobody is asked: see offerPasskey.
  }
};

// endOffer takes the question from the pages that follow.
export const endOffer = (): void => {
  due = false;
};
