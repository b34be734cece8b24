import {
  createContext,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { RouterProvider as LinksProvider } from "react-aria-components";

/** Where all pages are. Paths in the code are below it: "/webhooks" is /dashboard/webhooks. */
const base = "/dashboard";

export interface Place {
  readonly path: string;
  /** With its "?", or empty. */
  readonly search: string;
}

export type Navigate = (to: string, options?: { readonly replace?: boolean }) => void;

/** Whether the page in view must be asked before it is left by the browser's own buttons; then `proceed` leaves it. */
export type MustAsk = (proceed: () => void) => boolean;

interface Router {
  readonly place: Place;
  readonly navigate: Navigate;
  /** Returns what takes it back. */
  readonly askBefore: (mustAsk: MustAsk) => () => void;
}

const PlaceContext = createContext<Router | undefined>(undefined);

export function RouterProvider({ children }: { readonly children: ReactNode }) {
  const [place, setPlace] = useState(currentPlace);
  const shown = useRef(place);
  shown.current = place;
  const mustAsk = useRef<MustAsk>(undefined);
  useEffect(() => {
    const onPopState = () => {
      const isHeld = mustAsk.current?.(() => window.history.back()) === true;
      // The browser has gone already, so the address of the page in view is put on top again.
      if (isHeld) window.history.pushState(null, "", hrefOf(`${shown.current.path}${shown.current.search}`));
      else setPlace(currentPlace());
    };
    window.addEventListener("popstate", onPopState);
    return () => window.removeEventListener("popstate", onPopState);
  }, []);
  const navigate = useCallback<Navigate>((to, options) => {
    const change = options?.replace ? "replaceState" : "pushState";
    window.history[change](null, "", hrefOf(to));
    setPlace(currentPlace());
    if (!options?.replace) window.scrollTo(0, 0);
  }, []);
  const askBefore = useCallback((asking: MustAsk) => {
    mustAsk.current = asking;
    return () => {
      mustAsk.current = undefined;
    };
  }, []);
  const value = useMemo(() => ({ place, navigate, askBefore }), [place, navigate, askBefore]);
  return (
    <PlaceContext value={value}>
      <LinksProvider navigate={navigate} useHref={hrefOf}>
        {children}
      </LinksProvider>
    </PlaceContext>
  );
}

export const useNavigate = (): Navigate => useRouter().navigate;
export const useAskBefore = (): Router["askBefore"] => useRouter().askBefore;
/** Such as "/webhooks". */
export const usePath = (): string => useRouter().place.path;
/** The parameters after "?". */
export function useSearch(): URLSearchParams {
  const { search } = useRouter().place;
  return useMemo(() => new URLSearchParams(search), [search]);
}

interface LinkProps {
  readonly to: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
  readonly "aria-current"?: "page" | undefined;
  readonly onClick?: (() => void) | undefined;
}

/** A link to one of our pages. */
export function Link({ to, children, onClick, ...attributes }: LinkProps) {
  const navigate = useNavigate();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onClick?.();
    navigate(to);
  };
  return (
    <a href={hrefOf(to)} onClick={follow} {...attributes}>
      {children}
    </a>
  );
}

/** The values of the names in a pattern such as "/webhooks/{id}"; undefined when a path is another page. */
export function matchPath(pattern: string, path: string): ReadonlyMap<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const values = new Map<string, string>();
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    const isName = part.startsWith("{");
    if (isName ? value === "" : part !== value) return undefined;
    if (isName) values.set(part.slice(1, -1), decoded(value));
  }
  return values;
}

export const hrefOf = (to: string): string => `${base}${to}`;

function useRouter() {
  const router = useContext(PlaceContext);
  if (router === undefined) throw new Error("there is no router");
  return router;
}

function currentPlace(): Place {
  const { pathname, search } = window.location;
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  const withoutSlash = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return { path: withoutSlash || "/", search };
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
