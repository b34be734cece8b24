import { canonicalJson } from "#platform/canonical-json.ts";
import { digestAlgorithm, digestOf, disclose, parseDisclosure } from "#platform/vault/disclosures.ts";
import type { JsonObject } from "./agreement.ts";
import type { Actor, AuditEntry, Committed, Disclosed } from "./change.ts";

/** What stands for values whose key is gone. */
export const erasedValue = "ERASED";

/** Tells nobody how much there is of most events. */
const places = 12;

/** Members of details that say nothing of a person: ids and hashes that were made here, fixed names and counts. */
const publicMembers: ReadonlySet<string> = new Set([
  ...["recipientGuid", "role", "documentId", "sha256", "sentSha256", "sealedSha256", "sealLevel", "mail"],
  ...["textSha256", "locale", "attachmentId", "contentType", "bytes", "tabId", "changed"],
  ...["tabsAdded", "tabsChanged", "tabsRemoved", "sequence", "logId", "leafIndex", "leafHash", "leaf"],
  ...["erasureId", "ground", "keys", "events", "purge"],
  ...["method", "verified", "failures", "codeSet"],
]);

/** Whom values are about: the recipient with this UUID, known by this address; nobody in particular without a UUID. */
export type FindSubject = (recipientGuid?: string, email?: string) => string;

type Personal = Map<string, [pointer: string, value: unknown][]>;

/** Commits to everything personal of an entry under fresh salts, for each person apart. */
export function commit({ actor, details }: Pick<AuditEntry, "actor" | "details">, subjectOf: FindSubject): Committed {
  const personal: Personal = new Map();
  const own = () => (actor.source === "signer" ? subjectOf(actor.id, actor.email) : subjectOf());
  if (actor.source !== "system") personal.set(own(), []);
  for (const [pointer, value] of Object.entries(personalOf(actor))) {
    if (value !== "") add(personal, own(), pointer, value);
  }
  const shown = details === undefined ? null : withoutPersonal(details, { at: "/details", own, subjectOf, personal });
  const named = [...personal].flatMap(([subject, values]): [string, unknown][] => [
    [manifestOf(subject), values.map(([pointer]) => pointer)],
    ...values,
  ]);
  const { digests, disclosures } = disclose(Object.fromEntries(named), Math.ceil(named.length / places || 1) * places);
  let taken = 0;
  const disclosed = new Map<string, Disclosed>();
  for (const [subject, { length }] of personal) {
    disclosed.set(subject, disclosures.slice(taken, taken + length + 1));
    taken += length + 1;
  }
  return { details: shown, subjects: [...personal.keys()], digests, disclosed };
}

/** By JSON Pointer, as the API shows events. The id of somebody who signs is public: it means nothing outside the agreement. */
const personalOf = ({ source, id, name, email, ip, userAgent }: Actor): Readonly<Record<string, string>> => ({
  ...(source === "signer" ? {} : { "/actor/id": id }),
  ...{ "/actor/name": name, "/actor/email": email, "/ip": ip, "/userAgent": userAgent },
});

/** The name of the disclosure that says which others there are of a subject: then none can be left out unseen. */
const manifestOf = (subject: string): string => `/subjects/${subject}`;

function add(personal: Personal, subject: string, pointer: string, value: unknown): void {
  const values = personal.get(subject);
  if (values === undefined) personal.set(subject, [[pointer, value]]);
  else values.push([pointer, value]);
}

interface Walk {
  /** A JSON Pointer (RFC 6901). */
  readonly at: string;
  /** Whose the values are unless a recipient is named beside them; asked only when there is one. */
  readonly own: () => string;
  readonly subjectOf: FindSubject;
  readonly personal: Personal;
}

function withoutPersonal(object: JsonObject, { at, own: outer, ...walk }: Walk): JsonObject {
  const { recipientGuid, email } = object;
  const address = typeof email === "string" ? email : undefined;
  const own = typeof recipientGuid === "string" ? () => walk.subjectOf(recipientGuid, address) : outer;
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const pointer = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (isObject(value)) shown[name] = withoutPersonal(value, { ...walk, at: pointer, own });
    else if (Array.isArray(value) && value.every(isObject)) {
      shown[name] = value.map((one, index) => withoutPersonal(one, { ...walk, at: `${pointer}/${index}`, own }));
    } else if (value === null || publicMembers.has(name)) shown[name] = value;
    else add(walk.personal, own(), pointer, value);
  }
  return shown;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What an event shows. */
export interface Shown {
  readonly actor: Actor;
  readonly details: JsonObject | null;
}

/** The actor and the details as far as they are known; the id is that of somebody who signs, and empty otherwise. */
export function shownBy({ source, id }: Pick<Actor, "source" | "id">, committed: Committed): Shown {
  const { subjects, disclosed } = committed;
  const isErased = source !== "system" && disclosed.get(subjects[0] ?? "") === "erased";
  const unknown = isErased ? erasedValue : "";
  const actor = { id: id || unknown, name: unknown, email: unknown };
  const shown = { actor, ip: unknown, userAgent: unknown, details: structuredClone(committed.details) };
  for (const [subject, list] of disclosed) {
    if (typeof list === "string") continue;
    for (const { name, value } of list.flatMap((one) => parseDisclosure(one) ?? [])) {
      if (name !== manifestOf(subject)) place(shown, name, value);
    }
  }
  if ([...disclosed.values()].includes("erased")) markErased(shown.details);
  const { ip, userAgent, details } = shown;
  return { actor: { source, ...shown.actor, ip, userAgent }, details };
}

/** What is left to show of an event of format 1 of which everything personal was erased. */
export const shownErased = (actor: Pick<Actor, "source" | "id">, details: JsonObject | null): Shown =>
  shownBy(
    { source: actor.source, id: actor.source === "signer" ? actor.id : "" },
    { details, subjects: [""], digests: [], disclosed: new Map([["", "erased"]]) },
  );

/** Of the details of an event, what is about nobody. */
export const publicDetails = (details: JsonObject | null): JsonObject | null =>
  details && withoutPersonal(details, { at: "", own: () => "", subjectOf: () => "", personal: new Map() });

function place(target: object, pointer: string, value: unknown): void {
  const names = pointer.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = names.pop() ?? "";
  let at: unknown = target;
  for (const name of names.slice(1)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return;
    at = (at as Record<string, unknown>)[name];
  }
  if (typeof at === "object" && at !== null) Object.assign(at, { [last]: value });
}

/** Recipients who are told of always have these. */
function markErased(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if ("recipientGuid" in value && !("email" in value)) {
    Object.assign(value, { recipientId: erasedValue, name: erasedValue, email: erasedValue });
  }
  for (const one of Object.values(value)) markErased(one);
}

/** Of the public part of an event. */
export const commitmentMembers = ({ details, subjects, digests }: Committed): JsonObject => ({
  ...(details === null ? {} : { details }),
  subjects,
  _sd_alg: digestAlgorithm,
  _sd: digests,
});

/**
 * Whether each value that is known is one that was committed to, none of a subject is left out, and what is shown is what
 * they say. Nothing is known of a subject only when its key is one of those that were erased.
 */
export function isAsCommitted(shown: Shown, committed: Committed, erasedKeys: ReadonlySet<string>): boolean {
  const { subjects, digests, disclosed } = committed;
  const known = new Set(digests);
  const areWhole = subjects.every((subject) =>
    disclosed.get(subject) === "erased" ? erasedKeys.has(subject) : isWhole(subject, disclosed.get(subject), known),
  );
  if (!areWhole || disclosed.size !== new Set(subjects).size) return false;
  const { actor, details } = shown;
  const id = actor.source === "signer" ? actor.id : "";
  return canonicalJson(shownBy({ source: actor.source, id }, committed)) === canonicalJson({ actor, details });
}

function isWhole(subject: string, disclosed: Disclosed | undefined, digests: ReadonlySet<string>): boolean {
  if (disclosed === undefined || typeof disclosed === "string") return false;
  const found = disclosed.map(parseDisclosure);
  const [manifest, ...others] = found;
  const names = others.map((one) => one?.name);
  return (
    disclosed.every((one) => digests.has(digestOf(one))) &&
    manifest?.name === manifestOf(subject) &&
    JSON.stringify(manifest.value) === JSON.stringify(names)
  );
}
