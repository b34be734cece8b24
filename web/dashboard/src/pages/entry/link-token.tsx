import { useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { EntryFrame } from "./entry-frame.tsx";

/** What the link that was mailed has after its #; taken out of the address, so that it stays in no history. */
export function useLinkToken(): string {
  const [token] = useState(() => {
    const { hash, pathname, search } = window.location;
    if (hash.length > 1) window.history.replaceState(null, "", `${pathname}${search}`);
    return hash.slice(1);
  });
  return token;
}

export function LinkMissing({ canAsk = false }: { readonly canAsk?: boolean }) {
  const texts = useTexts("entry");
  return (
    <EntryFrame title={texts.linkMissingTitle} intro={texts.linkMissingText}>
      <ButtonLink to={canAsk ? "/forgot" : "/login"}>{canAsk ? texts.askForLink : texts.backToLogin}</ButtonLink>
    </EntryFrame>
  );
}
