import { randomInt } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { documentOf, embeddedSigner, send } from "../../completion/test/completion-setup.ts";
import { smallestPdf } from "../../intake/smallest-pdf.ts";
import { type Organization, type SignHarness, startSign } from "../../test/harness.ts";
import { createRemover } from "../remover.ts";
import { dayMs, removal } from "./retention-setup.ts";

let sign: SignHarness;
let deps: Awaited<ReturnType<typeof removal>>;

beforeAll(async () => {
  sign = await startSign();
  deps = await removal(sign);
});
afterAll(async () => {
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
  readonly status: "created" | "voided" | "sent";
  readonly person: string;
  /** What its period counts from. */
  readonly since: number;
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
  readonly rules: Record<"created" | "voided", Rules>;
  holds: Hold[];
}

const people = ["Ann", "Bob", "Cid"];
const never = Number.POSITIVE_INFINITY;

test(`any sequence of changes keeps and deletes what the rules say (RETENTION_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const now = (): number => sign.clock.now().getTime();
  const models: Model[] = [sign.organization(), sign.organization()].map((organization) => ({
    organization,
    agreements: [],
    rules: { created: { days: never, next: undefined }, voided: { days: never, next: undefined } },
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

  const steps: Record<string, (model: Model) => Promise<void>> = {
    send: async ({ organization, agreements }) => {
      const person = pick(people);
      const recipients = [embeddedSigner("1", person)];
      const { id } = await send(organization, { documents: [documentOf("1", smallestPdf)], recipients });
      agreements.push({ id, status: "sent", person, since: 0 });
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
    period: async ({ organization, rules }) => {
      const periods = (["created", "voided"] as const).map((status) => ({ status, days: pick([never, 1, 5, 20, 60]) }));
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
      const { hold } = await organization.setLegalHold({ ...about, reason: "Lawsuit" });
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
      const due = models.map((model) => model.agreements.filter((one) => isDue(model, one)));
      const removers = Array.from({ length: 1 + random(2) }, () => createRemover(deps).run());
      const deleted = (await Promise.all(removers)).reduce((sum, count) => sum + count, 0);
      expect(deleted).toBe(due.flat().length);
      for (const [index, model] of models.entries()) {
        model.agreements = model.agreements.filter((one) => !(due[index] ?? []).includes(one));
      }
    },
  };

  const did: string[] = [];
  const compare = async (): Promise<void> => {
    for (const { organization, agreements } of models) {
      const { agreements: there } = await organization.listAgreements({ limit: 200 });
      expect({ did, there: there.map(({ id }) => id).sort() }).toEqual({
        did,
        there: agreements.map(({ id }) => id).sort(),
      });
      const { deletions } = await organization.listDeletions({});
      expect(deletions.some(({ agreementId }) => agreements.some(({ id }) => id === agreementId))).toBe(false);
    }
  };
  const names = [
    "send",
    "send",
    "draft",
    "draft",
    "void",
    "void",
    "period",
    "hold",
    "lift",
    "lift",
    "wait",
    "wait",
    "remove",
    "remove",
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
