import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { personPath } from "./queries.ts";
import type { AnyReceipt } from "./types.ts";

/** Leads to what is known of the person of a receipt; says why when nobody is named. */
export function PersonName({ receipt }: { readonly receipt: Pick<AnyReceipt, "userRef" | "erased" | "restricted"> }) {
  const texts = useTexts("acceptances");
  const { userRef, erased, restricted } = receipt;
  if (erased) return <Badge>{texts.erased}</Badge>;
  if (restricted && userRef === null) return <Badge tone="warning">{texts.restricted}</Badge>;
  if (userRef === null) return texts.notKnown;
  // Whose records are restricted is found as little as whoever was erased.
  if (restricted) return userRef;
  return <Link to={personPath(userRef)}>{userRef}</Link>;
}
