import { Resolver } from "node:dns/promises";
import { isExample } from "#platform/net/name-resolver.ts";
import type { Finding, Findings, WantedRecord } from "./sender-domain.ts";

/** The texts of a name, each joined as it was meant; none when there are none. Rejects when no name server answers. */
export type ResolveTexts = (name: string) => Promise<readonly string[]>;

const queryMs = 2_000;
const tries = 2;

/**
 * Asks the name servers of the system, or these. Gives up after a few tries; a customer's name server that is silent
 * holds nobody else up. Names that are kept for examples are asked for nowhere.
 */
export function createTextResolver(servers?: readonly string[]): ResolveTexts {
  return async (name) => {
    if (isExample(name)) return [];
    const resolver = new Resolver({ timeout: queryMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const late = setTimeout(() => resolver.cancel(), queryMs * (tries + 1));
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(""));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTFOUND" || code === "ENODATA") return [];
      throw error;
    } finally {
      clearTimeout(late);
    }
  };
}

/** Looks all records up. Never rejects: what cannot be asked for is `unreachable`. */
export async function lookUp(resolve: ResolveTexts, records: readonly WantedRecord[]): Promise<Findings> {
  const found = records.map(
    async (record): Promise<[string, Finding]> => [record.purpose, await find(resolve, record)],
  );
  return Object.fromEntries(await Promise.all(found)) as Findings;
}

/** Less than callers wait, however many names a policy is looked for at. */
const deadlineMs = 6_000;

async function find(resolve: ResolveTexts, record: WantedRecord): Promise<Finding> {
  const late = Promise.withResolvers<Finding>();
  const timer = setTimeout(() => late.resolve("unreachable"), deadlineMs);
  try {
    return await Promise.race([judge(resolve, record), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function judge(resolve: ResolveTexts, { purpose, name, value }: WantedRecord): Promise<Finding> {
  try {
    if (purpose === "dmarc") return await findPolicy(resolve, name);
    const texts = (await resolve(name)).slice(0, maxTexts);
    return judges[purpose](texts, value);
  } catch {
    return "unreachable";
  }
}

/** More than anybody has. */
const maxTexts = 100;

const judges: Readonly<Record<"proof" | "dkim" | "spf", (texts: readonly string[], value: string) => Finding>> = {
  proof: (texts, value) => {
    if (texts.some((text) => text.trim() === value)) return "found";
    const tag = value.slice(0, value.indexOf("=") + 1);
    return texts.some((text) => text.startsWith(tag)) ? "wrong" : "missing";
  },
  dkim: (texts, value) => {
    const key = tagsOf(value).get("p");
    // Two keys under one name are undefined (RFC 6376 §3.6.2.2).
    if (texts.length === 1 && tagsOf(texts[0] ?? "").get("p") === key) return "found";
    return texts.length === 0 ? "missing" : "wrong";
  },
  spf: (texts, value) => {
    const policies = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
    if (policies.length === 0) return "missing";
    const [, wanted = ""] = value.toLowerCase().split(" ");
    const terms = (policies[0] ?? "").toLowerCase().split(/ +/);
    // A second policy makes the first void (RFC 7208 §4.5).
    return policies.length === 1 && terms.some((term) => term.replace(/^\+/, "") === wanted) ? "found" : "wrong";
  },
};

/** `k=v; …` without white space in the values, in which long keys may be broken. */
const tagsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(";").flatMap((tag): [string, string][] => {
      const at = tag.indexOf("=");
      return at < 0 ? [] : [[tag.slice(0, at).trim().toLowerCase(), tag.slice(at + 1).replaceAll(/\s+/g, "")]];
    }),
  );

/** A domain without a policy has that of a domain above it. */
async function findPolicy(resolve: ResolveTexts, name: string): Promise<Finding> {
  const labels = name.split(".").slice(1);
  const above = labels.slice(0, -1).map((_, index) => `_dmarc.${labels.slice(index).join(".")}`);
  for (const one of above.slice(-maxAbove)) {
    if ((await resolve(one)).some((text) => /^v=DMARC1(?:;| |$)/.test(text))) return "found";
  }
  return "missing";
}

const maxAbove = 5;
