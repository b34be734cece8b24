import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { hrefOf, useAskBefore, useNavigate } from "../app/router.tsx";
import { useTexts } from "../texts/texts.tsx";
import { ConfirmDialog } from "./dialog.tsx";

interface Guard {
  /** Whether something would be lost now. */
  isDirty(): boolean;
  discard(): void;
}

interface Leaving {
  /** Returns what takes it back. */
  readonly guard: (guard: Guard) => () => void;
  /** Does it at once, or when the person does not mind that something is lost. */
  readonly leaveBy: (proceed: () => void) => void;
}

const LeavingContext = createContext<Leaving | undefined>(undefined);

/**
 * Asks before something that is not saved is left: by a link to another page, by the buttons of the browser, and, in the
 * browser's own words, by closing the tab.
 */
export function LeaveQuestion({ children }: { readonly children: ReactNode }) {
  const texts = useTexts("editor");
  const navigate = useNavigate();
  const askBefore = useAskBefore();
  const guards = useRef(new Set<Guard>());
  const [proceed, setProceed] = useState<() => void>();
  const mustAsk = useCallback((go: () => void) => {
    const isDirty = [...guards.current].some((guard) => guard.isDirty());
    if (isDirty) setProceed(() => go);
    return isDirty;
  }, []);
  useEffect(() => askBefore(mustAsk), [askBefore, mustAsk]);
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if ([...guards.current].some((guard) => guard.isDirty())) event.preventDefault();
    };
    // Before the link itself learns of it.
    const onClick = (event: MouseEvent) => {
      const to = destinationOf(event);
      if (to === undefined || !mustAsk(() => navigate(to))) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("beforeunload", onUnload);
    window.addEventListener("click", onClick, { capture: true });
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      window.removeEventListener("click", onClick, { capture: true });
    };
  }, [mustAsk, navigate]);
  const leaving = useMemo<Leaving>(
    () => ({
      guard: (guard) => {
        guards.current.add(guard);
        return () => void guards.current.delete(guard);
      },
      leaveBy: (go) => {
        if (!mustAsk(go)) go();
      },
    }),
    [mustAsk],
  );
  return (
    <LeavingContext value={leaving}>
      {children}
      <ConfirmDialog
        title={texts.leaveTitle}
        text={texts.leaveText}
        action={texts.leaveAction}
        isOpen={proceed !== undefined}
        onConfirm={async () => {
          for (const guard of guards.current) if (guard.isDirty()) guard.discard();
          proceed?.();
        }}
        onClose={() => setProceed(undefined)}
      />
    </LeavingContext>
  );
}

/** Of the component that has what may be lost. */
export function useLeaveGuard(isDirty: boolean | (() => boolean), discard: () => void): void {
  const { guard } = useLeaving();
  const latest = useRef({ isDirty, discard });
  latest.current = { isDirty, discard };
  useEffect(
    () =>
      guard({
        isDirty: () => {
          const { isDirty: dirty } = latest.current;
          return typeof dirty === "function" ? dirty() : dirty;
        },
        discard: () => latest.current.discard(),
      }),
    [guard],
  );
}

/** For buttons that leave the page. */
export const useLeaveBy = (): Leaving["leaveBy"] => useLeaving().leaveBy;

function useLeaving(): Leaving {
  const leaving = useContext(LeavingContext);
  if (leaving === undefined) throw new Error("nothing asks before a page is left");
  return leaving;
}

/** Of a link to another of our pages that is opened in place of this one. */
function destinationOf(event: MouseEvent): string | undefined {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const href = link?.getAttribute("href") ?? "";
  const ours = hrefOf("/");
  const isElsewhere = link?.getAttribute("target") === "_blank" || link?.hasAttribute("download") === true;
  return isPlain && !isElsewhere && href.startsWith(ours) ? href.slice(ours.length - 1) : undefined;
}

/** Makes the browser ask before the pages are left, for what stays while other pages of ours are visited. */
export function useUnloadGuard(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isChanged]);
}
