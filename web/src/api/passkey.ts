// The passkeys of this browser and its devices. The server's options and the browser's answers
// are JSON as WebAuthn writes it.

export interface Options {
  publicKey: unknown;
}

// hasPasskeys says whether this browser can use passkeys at this address.
export const hasPasskeys =
  typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

// offersPasskeys says whether it offers them in the field for the name.
export const offersPasskeys = async (): Promise<boolean> =>
  hasPasskeys && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);

// Declined is that the user closed the browser's dialog, or that it found no passkey.
export class Declined extends Error {}

const answer = async (credential: Promise<Credential | null>): Promise<unknown> => {
  try {
    return ((await credential) as PublicKeyCredential).toJSON();
  } catch (cause) {
    throw new Declined("", { cause });
  }
};

export const usePasskey = ({ publicKey }: Options, signal?: AbortSignal): Promise<unknown> =>
  answer(
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey as PublicKeyCredentialRequestOptionsJSON),
      ...(signal ? { mediation: "conditional", signal } : {}),
    }),
  );

export const makePasskey = ({ publicKey }: Options): Promise<unknown> =>
  answer(
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey as PublicKeyCredentialCreationOptionsJSON),
    }),
  );
