import { randomInt, randomUUID } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PersonalItemOutcome } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import type { AuditEvent } from "#gen/assent/sign/v1/agreement_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import { until } from "#platform/testing/until.ts";
import { checkTrail } from "../../../../test/support/check-trail.ts";
import { documentOf, embeddedSigner, send, sit, untilCompleted } from "../../completion/test/completion-setup.ts";
import { trailProblems } from "../../erasure/test/trail-problems.ts";
import { smallestPdf } from "../../intake/merge-pdfs.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";
import { createRemover } from "../remover.ts";
import { dayMs, removal } from "./retention-setup.ts";

let sign: SignHarness;
let deps: Awaited<ReturnType<typeof removal>>;
let workers: typeof sign.service.workers = [];

beforeAll(async () => {
  sign = await startSign();
  deps = await removal(sign);
  // Without the remover, whose turn is a step of the test.
  workers = sign.service.workers.filter(({ name }) => name !== "remover sign");
  for (const worker of workers) await worker.start();
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await deps?.close();
  await sign?.stop();
});

const seed = Number(process.env.RETENTION_SEED ?? randomInt(2 ** 31));

/** The same numbers for the same seed (mulberry32). */
function createRandom(from: number): (below: number) => number {
  let state = from;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

interface Kept {
  readonly id: string;
  readonly status: "created" | "voided" | "completed" | "sent";
  readonly person: string;
  /** What its period counts from. */
  readonly since: number;
  readonly proof: Proof;
}

/** What could be proven of an agreement when it was looked at last. */
interface Proof {
  events: readonly AuditEvent[];
  sealedSha256: Uint8Array | undefined;
  /** Keys of those who were erased, as the answers to erasures imply. */
  isErased: boolean;
}

interface Rules {
  days: number;
  next: { days: number; at: number } | undefined;
}

interface Hold {
  readonly id: string;
  keeps(agreement: Kept): boolean;
}

/** What an organization has, by the words of the documentation alone. */
interface Model {
  readonly organization: Organization;
  agreements: Kept[];
  readonly rules: Record<"created" | "voided" | "completed", Rules>;
  holds: Hold[];
}

/** As the archive has them. */
async function exportedTrails(organization: Organization, person: string): Promise<Map<string, { hash: string }[]>> {
  const trails = new Map<string, { hash: string }[]>();
  let cursor: string | undefined = "";
  while (cursor !== undefined) {
    const page = await organization.exportPerson({ person: { email: `${person}@example.com` }, cursor });
    for (const { path, content } of page.files) {
      const [, id] = /^proofs\/agreements\/(.+)\/trail\.json$/.exec(path) ?? [];
      if (id !== undefined) trails.set(id, JSON.parse(Buffer.from(content).toString()).events);
    }
    cursor = page.nextCursor || undefined;
  }
  return trails;
}

const unseen = (): Proof => ({ events: [], sealedSha256: undefined, isErased: false });
const target = ({ id }: Kept) => ({ target: { id: { case: "agreementId" as const, value: id } } });
const people = ["Ann", "Bob", "Cid"];
const never = Number.POSITIVE_INFINITY;

test(`any sequence of changes, erasures, exports and purges keeps and deletes what the rules say, and proves all that it keeps (RETENTION_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const now = (): number => sign.clock.now().getTime();
  const models: Model[] = [sign.organization(), sign.organization()].map((organization) => ({
    organization,
    agreements: [],
    rules: {
      created: { days: never, next: undefined },
      voided: { days: never, next: undefined },
      completed: { days: never, next: undefined },
    },
    holds: [],
  }));

  const settle = (rules: Rules): void => {
    if (rules.next !== undefined && rules.next.at <= now())
      Object.assign(rules, { days: rules.next.days, next: undefined });
  };
  const isDue = ({ rules, holds }: Model, agreement: Kept): boolean => {
    if (agreement.status === "sent" || holds.some((hold) => hold.keeps(agreement))) return false;
    const own = rules[agreement.status];
    settle(own);
    return agreement.since + own.days * dayMs <= now();
  };

  /** Of whom something was erased. */
  const forgotten = new Set<string>();
  const steps: Record<string, (model: Model) => Promise<void>> = {
    send: async ({ organization, agreements }) => {
      const person = pick(people);
      const recipients = [embeddedSigner("1", person)];
      const notification = { expireEnabled: false };
      const { id } = await send(organization, { documents: [documentOf("1", smallestPdf)], recipients, notification });
      agreements.push({ id, status: "sent", person, since: 0, proof: unseen() });
    },
    draft: async ({ organization, agreements }) => {
      const person = pick(people);
      const { agreement } = await organization.createAgreement({
        definition: { recipients: [embeddedSigner("1", person)] },
      });
      if (agreement?.modifiedAt === undefined) throw new Error("there is no draft");
      agreements.push({
        id: agreement.id,
        status: "created",
        person,
        since: timestampDate(agreement.modifiedAt).getTime(),
        proof: unseen(),
      });
    },
    void: async (model) => {
      const open = model.agreements.find(({ status }) => status === "sent");
      if (open === undefined) return;
      const { agreement } = await model.organization.voidAgreement({ agreementId: open.id, reason: "no more" });
      if (agreement?.voidedAt === undefined) throw new Error("it was not voided");
      const since = timestampDate(agreement.voidedAt).getTime();
      model.agreements = model.agreements.map((one) => (one === open ? { ...open, status: "voided", since } : one));
    },
    sign: async (model) => {
      const open = model.agreements.find(({ status }) => status === "sent");
      if (open === undefined) return;
      const { organization } = model;
      const { agreement } = await organization.getAgreement(target(open));
      if (agreement === undefined) throw new Error("it is not there");
      await (await sit(sign, organization, agreement, "1"))();
      const { completedAt, documents } = await untilCompleted(organization, open.id);
      if (completedAt === undefined) throw new Error("it was not completed");
      const since = timestampDate(completedAt).getTime();
      open.proof.sealedSha256 = documents[0]?.sealedSha256;
      model.agreements = model.agreements.map((one) => (one === open ? { ...open, status: "completed", since } : one));
    },
    erase: async (model) => {
      const { organization } = model;
      const person = { email: `${pick(people)}@example.com`, userRef: "" };
      const erasure = { erasureId: randomUUID(), person, ground: "GDPR_17" };
      const { items, nextCursor } = await organization.erasePerson(erasure);
      expect(nextCursor).toBe("");
      const erased = items.filter(({ outcome }) => outcome === PersonalItemOutcome.ERASED);
      for (const agreement of model.agreements) {
        const parts = erased.flatMap(({ targetId, kind }) => (targetId === agreement.id ? kind : []));
        expect(parts.length > 0 && model.holds.some((hold) => hold.keeps(agreement))).toBe(false);
        if (parts.includes("agreement.trail")) agreement.proof.isErased = true;
        if (parts.length > 0) forgotten.add(agreement.id);
      }
      // Nothing is left in a draft by which a hold that comes later could find the person.
      model.agreements = model.agreements.map((one) =>
        one.status === "created" && erased.some(({ targetId }) => targetId === one.id) ? { ...one, person: "" } : one,
      );
    },
    export: async ({ organization, agreements }) => {
      const person = pick(people);
      const trails = await exportedTrails(organization, person);
      for (const { id, person: whose, proof } of agreements) {
        const events = trails.get(id) ?? [];
        if (whose !== person) expect(events).toEqual([]);
        else if (!forgotten.has(id)) expect(events.length).toBeGreaterThanOrEqual(proof.events.length);
        if (events.length === 0) continue;
        // What is not about the person is left out; all that is there is proven.
        const { problems } = checkTrail(id, events);
        expect(problems.filter((one) => !one.endsWith("something was taken away"))).toEqual([]);
        const hashes = proof.events.map(({ hash }) => Buffer.from(hash).toString("hex"));
        expect(events.slice(0, hashes.length).map(({ hash }) => hash)).toEqual(hashes);
      }
    },
    purge: async ({ organization, agreements }) => {
      const ended = agreements.filter(({ status }) => status === "voided" || status === "completed");
      const one = pick(ended);
      if (one === undefined) return;
      const state = pick(["documents_queued", "documents_and_metadata_queued"]);
      await organization.purgeAgreement({ agreementId: one.id, state }).catch((error: unknown) => {
        // It was purged before.
        expect(fromConnectError(error)?.code).toBe("VALIDATION_FAILED");
      });
    },
    period: async ({ organization, rules }) => {
      const periods = (["created", "voided", "completed"] as const).map((status) => ({
        status,
        days: pick([never, 1, 5, 20, 60]),
      }));
      await organization.putRetention({
        periods: periods.map(({ status, days }) => (days === never ? { status } : { status, days })),
      });
      for (const { status, days } of periods) {
        const own = rules[status];
        settle(own);
        const isSooner = own.next !== undefined && own.next.days <= days;
        const at = isSooner && own.next !== undefined ? own.next.at : now() + 7 * dayMs;
        Object.assign(own, days < own.days ? { next: { days, at } } : { days, next: undefined });
      }
    },
    hold: async ({ organization, agreements, holds }) => {
      const [one, person, kind] = [pick(agreements), pick(people), random(3)];
      const about =
        kind === 0
          ? {}
          : kind === 1
            ? { email: `${person.toUpperCase()}@example.com` }
            : { agreementId: one?.id ?? "" };
      if (kind === 2 && one === undefined) return;
      const { hold } = await organization.setLegalHold({ ...about, reason: `Lawsuit ${randomUUID()}` });
      const keeps = [() => true, (of: Kept) => of.person === person, (of: Kept) => of.id === one?.id][kind];
      holds.push({ id: hold?.id ?? "", keeps: keeps as Hold["keeps"] });
    },
    lift: async (model) => {
      const hold = pick(model.holds);
      if (hold === undefined) return;
      await model.organization.liftLegalHold({ id: hold.id });
      model.holds = model.holds.filter((one) => one !== hold);
    },
    wait: async () => sign.clock.advance(pick([1, 4, 7, 30]) * dayMs),
    remove: async () => {
      // What the service still works with is not deleted.
      await until(async () => {
        const { rowCount } = await sign.superuser.query(
          "select from sign.job where run_at <= $1 and kind <> 'reminder'",
          [sign.clock.now()],
        );
        return rowCount === 0;
      }, 30_000);
      const due = models.map((model) => model.agreements.filter((one) => isDue(model, one)));
      const removers = Array.from({ length: 1 + random(2) }, () => createRemover(deps).run());
      const deleted = (await Promise.all(removers)).reduce((sum, count) => sum + count, 0);
      expect(deleted).toBe(due.flat().length);
      for (const [index, model] of models.entries()) {
        model.agreements = model.agreements.filter((one) => !(due[index] ?? []).includes(one));
      }
    },
  };

  /** What was proven before is proven still, but for what was erased. */
  const prove = async (organization: Organization, { id, proof }: Kept): Promise<void> => {
    const { events } = await organization.listAuditEvents({ agreementId: id });
    expect(trailProblems(id, events)).toEqual([]);
    const shown = events.slice(0, proof.events.length);
    expect(shown.map(({ hash, action }) => [hash, action])).toEqual(
      proof.events.map(({ hash, action }) => [hash, action]),
    );
    const isWhole = ({ erasedSubjects }: AuditEvent): boolean => !proof.isErased || erasedSubjects.length === 0;
    expect(shown.filter(isWhole)).toEqual(proof.events.filter((_, index) => isWhole(shown[index] as AuditEvent)));
    // From now on it must stay as it is again.
    Object.assign(proof, { events, isErased: false });
    const { sealedSha256: value } = proof;
    if (value === undefined) return;
    const { known } = await organization.verifyDocument({ file: { file: { case: "sha256", value } } });
    expect(known.map(({ agreementId, isAuditIntact }) => [agreementId, isAuditIntact])).toEqual([[id, true]]);
  };

  const did: string[] = [];
  const compare = async (): Promise<void> => {
    for (const { organization, agreements } of models) {
      const { agreements: there } = await organization.listAgreements({ limit: 200 });
      expect({ did, there: there.map(({ id }) => id).sort() }).toEqual({
        did,
        there: agreements.map(({ id }) => id).sort(),
      });
      for (const agreement of agreements) await prove(organization, agreement);
      const { deletions } = await organization.listDeletions({});
      expect(deletions.some(({ agreementId }) => agreements.some(({ id }) => id === agreementId))).toBe(false);
    }
  };
  const names = [
    ...["send", "send", "draft", "draft", "void", "sign", "period", "hold", "lift", "lift"],
    ...["erase", "export", "export", "purge", "wait", "wait", "remove", "remove"],
  ];
  for (let step = 0; step < 120; step += 1) {
    const name = pick(names);
    did.push(name);
    await steps[name]?.(pick(models));
    if (name === "remove") await compare();
  }
  for (const model of models) while (model.holds.length > 0) await steps.lift?.(model);
  await steps.remove?.(models[0] as Model);
  await compare();
});
