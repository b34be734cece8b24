import type { QueryValues } from "../../api/client.ts";
import { momentOf } from "../../ui/local-time.ts";
import { agreementStatuses, dateFields } from "./types.ts";

/** As it stands in the address of the page; days are those of the person's time zone. */
export interface AgreementFilter {
  readonly search?: string | undefined;
  readonly status?: string | undefined;
  readonly dateField?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const names = ["search", "status", "dateField", "from", "to"] as const;
const known: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["status", agreementStatuses],
  ["dateField", dateFields],
]);

/** What an address says; what we do not know is left out. */
export const filterIn = (search: URLSearchParams): AgreementFilter =>
  Object.fromEntries(
    names.map((name) => {
      const value = search.get(name)?.slice(0, 200) ?? "";
      const isKnown = known.get(name)?.includes(value) ?? value !== "";
      return [name, isKnown ? value : undefined];
    }),
  );

export function pathOf(filter: AgreementFilter): string {
  const search = new URLSearchParams();
  for (const name of names) if (filter[name]) search.set(name, filter[name]);
  return `/agreements${search.size === 0 ? "" : `?${search}`}`;
}

export const isNarrowed = ({ search, status, from, to }: AgreementFilter): boolean =>
  [search, status, from, to].some(Boolean);

/** What the API is asked. A whole address is looked up by its index; other words are searched for. */
export function queryOf(filter: AgreementFilter, timeZone: string): QueryValues {
  const { search = "", status, dateField, from = "", to = "" } = filter;
  const words = search.trim();
  const since = momentOf(`${from}T00:00`, timeZone);
  const until = momentOf(`${dayAfter(to)}T00:00`, timeZone);
  const hasRange = since !== undefined || until !== undefined;
  return {
    status,
    ...(isAddress(words) ? { email: words } : { text: words }),
    ...(hasRange ? { dateField, from: since?.toISOString(), to: until?.toISOString() } : {}),
  };
}

/** 100 letters are the most that the API looks up. */
const isAddress = (words: string): boolean => words.length <= 100 && /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/.test(words);

/** The last day counts, too. */
function dayAfter(day: string): string {
  const start = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(start) ? "" : new Date(start + 86_400_000).toISOString().slice(0, 10);
}

/** Whether words are the id of an agreement. */
export const isId = (words: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(words);
