import { createHash } from "node:crypto";

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Answered = any;

/** Follows docs/sign.md, Audit trail, with nothing of the product's own code. Answers what is wrong, and the last hash. */
export function checkTrail(agreementId: string, events: readonly Answered[]) {
  const problems: string[] = [];
  const statements = events.flatMap(({ action, publicPart }) =>
    action === "agreement.erased" ? publicPart.details : [],
  );
  const stated = new Set(statements.flatMap(({ replaced }) => (isStated(events, replaced) ? replaced.events : [])));
  let previous = "0".repeat(64);
  for (const [index, event] of events.entries()) {
    const wrong = (what: string) => problems.push(`event ${index + 1}: ${what}`);
    const hashed = event.publicPart ?? firstFormat(agreementId, event);
    const { agreementId: id, sequence, previousHash } = hashed;
    if (id !== agreementId || sequence !== index + 1 || previousHash !== previous) wrong("another one comes before");
    const isErased = hashed.v === 1;
    if (isErased ? hashed.hash !== event.hash : sha256(canonical(hashed)).toString("hex") !== event.hash)
      wrong("the hash");
    if (isErased && !stated.has(event.sequence)) wrong("nobody states that it was erased");
    if (event.format === 2) {
      const values = new Map<string, unknown>();
      for (const disclosure of event.disclosures) {
        if (!hashed._sd.includes(sha256(disclosure).toString("base64url"))) wrong("a disclosure without a digest");
        const [, name, value] = JSON.parse(Buffer.from(disclosure, "base64url").toString());
        values.set(name, value);
        if (!name.startsWith("/subjects/") && canonical(at(event, name)) !== canonical(value))
          wrong(`${name} is another`);
      }
      for (const subject of hashed.subjects) {
        const names = values.get(`/subjects/${subject}`) as readonly string[] | undefined;
        const isErasedSubject =
          event.erasedSubjects.includes(subject) && statements.some(({ keys }) => keys.includes(subject));
        const isWhole = names?.every((name) => values.has(name)) ?? isErasedSubject;
        if (!isWhole) wrong("something was taken away");
      }
      for (const name of ["action", "source", "occurredAt", "agreementStatus"]) {
        if (event[name] !== hashed[name]) wrong(`${name} is another`);
      }
    }
    previous = event.hash;
  }
  return { problems, head: previous };
}

/** Whether what is left of events of format 1 is what the statement names. */
function isStated(events: readonly Answered[], replaced: Answered): boolean {
  const left = events.filter(({ sequence }) => replaced?.events.includes(sequence));
  return sha256(canonical(left.map(({ publicPart }) => publicPart))).toString("hex") === replaced?.sha256;
}

function firstFormat(agreementId: string, event: Answered): Answered {
  const { sequence, occurredAt, action, source, actor, ip, userAgent, details, agreementStatus, previousHash } = event;
  const all = { id: actor.id ?? "", name: actor.name ?? "", email: actor.email ?? "", ip: ip ?? "" };
  const told = { agreementId, sequence, occurredAt, action, source, details, agreementStatus, previousHash };
  return { ...told, actor: { ...all, userAgent: userAgent ?? "" } };
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** RFC 8785, for what trails hold: the names of members are in ASCII. */
const canonical = (value: Answered): string =>
  JSON.stringify(value, (_, member) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  ) ?? "null";

/** RFC 6901. */
const at = (event: Answered, pointer: string): Answered =>
  pointer
    .split("/")
    .slice(1)
    .reduce((value, name) => value?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], event);
