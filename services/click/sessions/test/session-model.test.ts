import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { SessionOutcome, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { clientActions, countAcceptances, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { acceptOne, as, type ClickHarness, type ClickInstance, startClick } from "../../test/harness.ts";

let click: ClickHarness;
let other: ClickInstance;
beforeAll(async () => {
  click = await startClick();
  other = await click.startAnother();
});
afterAll(() => click.close());

const { addTemplate, create, get } = clientActions(() => click);

type Action = "accept" | "decline" | "cancel" | "complete" | "completeDeclined" | "expire";
type Status = "PENDING" | "ACCEPTED" | "DECLINED" | "CANCELLED" | "COMPLETED" | "EXPIRED";
interface Model {
  readonly status: Status;
  readonly outcome: "UNSPECIFIED" | "ACCEPTED" | "DECLINED" | "NONE";
}
interface Step {
  readonly code: string;
  readonly next: Model;
}

const start: Model = { status: "PENDING", outcome: "UNSPECIFIED" };
const ok = (status: Status, outcome: Model["outcome"]): Step => ({ code: "ok", next: { status, outcome } });

/** A minimal model of a session: open until it is decided, cancelled or closed, or its time is over. */
function react(model: Model, action: Action): Step {
  const refused = (code: string): Step => ({ code, next: model });
  const { status } = model;
  if (action === "expire") return status === "PENDING" ? ok("EXPIRED", "NONE") : { code: "ok", next: model };
  if (status === "EXPIRED") return refused("CLICK_SESSION_EXPIRED");
  switch (action) {
    case "accept":
      return status === "PENDING" ? ok("ACCEPTED", "UNSPECIFIED") : refused("CLICK_SESSION_CLOSED");
    case "decline":
      return status === "PENDING" ? ok("DECLINED", "DECLINED") : refused("CLICK_SESSION_CLOSED");
    case "cancel":
      if (status === "CANCELLED") return { code: "ok", next: model };
      return status === "PENDING" ? ok("CANCELLED", "NONE") : refused("CLICK_SESSION_CLOSED");
    case "complete":
    case "completeDeclined":
      // An earlier decision stands, whatever outcome the closing request names.
      if (status === "COMPLETED") return { code: "ok", next: model };
      if (status === "DECLINED" && action === "completeDeclined") return { code: "ok", next: model };
      if (status === "ACCEPTED") return ok("COMPLETED", "ACCEPTED");
      if (status !== "PENDING") return refused("CLICK_SESSION_CLOSED");
      return ok("COMPLETED", action === "complete" ? "NONE" : "DECLINED");
  }
}

let keys = 0;

async function perform(template: FakeTemplate, sessionId: string, action: Action, on: ClickInstance): Promise<string> {
  const orgId = orgOf(template);
  try {
    if (action === "expire") click.clock.advance(120);
    else if (action === "cancel") await on.client.cancelSession({ sessionId }, as(orgId));
    else if (action === "complete") await on.client.completeSession({ sessionId }, as(orgId));
    else if (action === "completeDeclined") {
      await on.client.completeSession({ sessionId, outcome: SessionOutcome.DECLINED }, as(orgId));
    } else {
      const body = { sessionId, ...(action === "decline" ? { decision: "DECLINE" } : {}) };
      await acceptOne(on.client, { orgId, key: `model-${++keys}`, body });
    }
    return "ok";
  } catch (error) {
    return (error instanceof DomainError ? error : fromConnectError(error))?.code ?? String(error);
  }
}

/** Generated enums map names to numbers only. */
const nameOf = (names: Readonly<Record<string, number>>, value: number): string | undefined =>
  Object.entries(names).find(([, number]) => number === value)?.[0];

async function read(template: FakeTemplate, sessionId: string): Promise<Model> {
  const { status, outcome } = await get(template, sessionId);
  return {
    status: nameOf(SessionStatus, status) as Status,
    outcome: nameOf(SessionOutcome, outcome) as Model["outcome"],
  };
}

const action = fc.constantFrom<Action>("accept", "decline", "cancel", "complete", "completeDeclined", "expire");
const concurrentAction = fc.constantFrom<Action>("accept", "decline", "cancel", "complete", "completeDeclined");
const step = fc.oneof(fc.tuple(action), fc.tuple(concurrentAction, concurrentAction));

test("sessions do what a small model of them does, whatever comes in whatever order and at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const template = addTemplate({ policyFlags: { allowDecline: true } });
      const { id } = await create(template, { userRef: "user-1", ttlSeconds: 60 });
      let model = start;
      for (const [first, second] of steps) {
        const here = model;
        if (second === undefined) {
          const { code, next } = react(here, first);
          expect(await perform(template, id, first, click)).toBe(code);
          model = next;
        } else {
          const codes = await Promise.all([perform(template, id, first, click), perform(template, id, second, other)]);
          const one = react(here, first);
          const then = react(one.next, second);
          const two = react(here, second);
          const after = react(two.next, first);
          const found = { codes, model: await read(template, id) };
          expect([
            { codes: [one.code, then.code], model: then.next },
            { codes: [after.code, two.code], model: after.next },
          ]).toContainEqual(found);
          model = found.model;
        }
        expect(await read(template, id)).toEqual(model);
      }
      // One record for a decision, none without one.
      const isDecided = [model.status, model.outcome].some((word) => word === "ACCEPTED" || word === "DECLINED");
      expect(await countAcceptances(click, orgOf(template))).toBe(isDecided ? 1 : 0);
    }),
    { numRuns: 60 },
  );
}, 120_000);
