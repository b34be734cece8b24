import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { wordsFor } from "./codes.ts";

/** Where consent to a purpose stands, or what was changed about it. */
export function ConsentStatus({ status }: { readonly status: string }) {
  const { consentStatuses } = useTexts("acceptances");
  const isGiven = status === "GRANTED" || status === "RENEWED";
  return <Badge tone={isGiven ? "success" : "warning"}>{wordsFor(consentStatuses, status)}</Badge>;
}
