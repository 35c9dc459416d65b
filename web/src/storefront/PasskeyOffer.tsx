import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { mayUsePasskeys } from "../api/entry";
import { hasPasskeys } from "../api/passkey";
import { useAccount } from "./account/data";
import { endOffer, passkeyOffered } from "./offer";
import { useAddPasskey } from "./useAddPasskey";
import { step } from "./stepText";
import { Button, Failure, Told } from "./ui";

// capable says whether this device itself knows its user, and the shop can use that.
const capable = async (): Promise<boolean> =>
  hasPasskeys && (await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()) && mayUsePasskeys();

// PasskeyOffer suggests a passkey to somebody who has none and just typed a password.
export const PasskeyOffer = () => {
  const account = useAccount();
  const may = useQuery({ queryKey: ["capable"], queryFn: capable, staleTime: Infinity });
  const [gone, setGone] = useState(false);
  const [added, setAdded] = useState("");
  const add = useAddPasskey((name) => {
    endOffer();
    setAdded(step("step.passkeyAdded", { name }));
  });
  const factor = account.data?.secondFactor;
  const shown = !gone && may.data === true && factor?.available === true && factor.passkeys === 0;
  useEffect(() => {
    if (shown) passkeyOffered();
  }, [shown]);
  if (added) return <Told>{added}</Told>;
  if (!shown) return null;
  return (
    <section className="note" aria-labelledby="offer">
      <h2 id="offer">{step("step.offer")}</h2>
      <p>{step("step.offerHow")}</p>
      {add.error && <Failure error={add.error} />}
      {add.proof}
      <p className="row" hidden={add.proof !== null}>
        <Button type="button" busy={add.isPending} onClick={() => add.mutate(step("step.passkeyHere"))}>
          {step("step.addPasskey")}
        </Button>
        <button
          type="button"
          className="button"
          onClick={() => {
            endOffer();
            setGone(true);
          }}>
          {step("step.offerLater")}
        </button>
      </p>
    </section>
  );
};
