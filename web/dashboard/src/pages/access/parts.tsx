import type { ApiKey } from "#api/organizations.ts";
import "./access.css";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/errors.ts";
import { Switch } from "../../ui/form.tsx";
import { ErrorState, Loading } from "../../ui/states.tsx";

/** The same promise, but an error with this code becomes a problem of one field. */
export async function atField<Answer>(
  asked: Promise<Answer>,
  { code, field, message }: { readonly code: string; readonly field: string; readonly message: string },
): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== code) throw error;
    const { status, requestId } = error;
    throw new ApiError({ status, code, message, requestId, details: [{ field, code, message }] });
  }
}

/** The browser and the system that a User-Agent names; undefined where it names none that is known here. */
export function deviceOf(userAgent: string): { readonly browser?: string; readonly system?: string } {
  const browser = browsers.find(([mark]) => userAgent.includes(mark))?.[1];
  const system = systems.find(([mark]) => userAgent.includes(mark))?.[1];
  return { ...(browser === undefined ? {} : { browser }), ...(system === undefined ? {} : { system }) };
}

/** The first match counts, since browsers also name others for compatibility. */
const browsers = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
  ["curl/", "curl"],
] as const;

const systems = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["CrOS", "ChromeOS"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/** The buttons at the end of a row. */
export function RowButtons({ children }: { readonly children: ReactNode }) {
  return <div className="row-buttons">{children}</div>;
}

/**
 * The result of a dialog's form, shown in its place. It takes the focus, so that it is read out, and so that the key
 * that submitted the form does not press the next button as well.
 */
export function Revealed({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <div ref={place} tabIndex={-1} className="revealed">
      {children}
    </div>
  );
}

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, "data" | "isError" | "error" | "refetch">;
  readonly children: (data: Data) => ReactNode;
}

/** The result of a query, or that it is loading, or why it has failed. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}

/** What keys and clients have in common. */
export type Credential = ApiKey;

interface WithRevokedProps<Item extends Credential> {
  readonly items: readonly Item[];
  readonly showRevoked: (count: number) => string;
  readonly children: (shown: readonly Item[]) => ReactNode;
}

/** The active ones, and on request those that were revoked. */
export function WithRevoked<Item extends Credential>({ items, showRevoked, children }: WithRevokedProps<Item>) {
  const [isAll, setIsAll] = useState(false);
  const active = items.filter(({ revokedAt }) => revokedAt === null);
  const revokedCount = items.length - active.length;
  return (
    <>
      {children(isAll ? items : active)}
      {revokedCount > 0 && (
        <Switch isSelected={isAll} onChange={setIsAll}>
          {showRevoked(revokedCount)}
        </Switch>
      )}
    </>
  );
}
