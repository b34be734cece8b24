import { type ReactNode, useEffect, useState } from "react";
import { hrefOf, useNavigate } from "../app/router.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ConfirmDialog } from "./dialog.tsx";

/** Asks before something that is not saved is left; the question is to be shown on the page. */
export function useLeaveGuard(isDirty: boolean, discard: () => void): ReactNode {
  const texts = useTexts("editor");
  const navigate = useNavigate();
  const [target, setTarget] = useState<string>();
  useEffect(() => {
    if (!isDirty) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    // Before the link itself learns of it.
    const onClick = (event: MouseEvent) => {
      const to = destinationOf(event);
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(to);
    };
    window.addEventListener("beforeunload", onUnload);
    window.addEventListener("click", onClick, { capture: true });
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      window.removeEventListener("click", onClick, { capture: true });
    };
  }, [isDirty]);
  return (
    <ConfirmDialog
      title={texts.leaveTitle}
      text={texts.leaveText}
      action={texts.leaveAction}
      isOpen={target !== undefined}
      onConfirm={async () => {
        discard();
        navigate(target ?? "/");
      }}
      onClose={() => setTarget(undefined)}
    />
  );
}

/** Of a link to another of our pages that is opened in place of this one. */
function destinationOf(event: MouseEvent): string | undefined {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const href = link?.getAttribute("href") ?? "";
  const ours = hrefOf("/");
  return isPlain && href.startsWith(ours) ? href.slice(ours.length - 1) : undefined;
}
