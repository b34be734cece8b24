import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { recordsOf } from "#api/records.ts";
import { LegalHoldSchema } from "#gen/assent/sign/v1/retention_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { callerHeaders, requireCaller } from "#platform/caller.ts";
import { untilLocked } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isEmailAddress } from "#platform/mail/mail.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import { invalid, problem, storable } from "../agreement/problems.ts";
import { emailIndex } from "../agreement/subject-keys.ts";
import type { SignDeps } from "../deps.ts";
import { insertActs } from "./acts.ts";
import { uuidCursor } from "./handlers.ts";
import {
  countHolds,
  endHold,
  findHold,
  findSameHold,
  insertHold,
  isHeld,
  type LegalHold,
  listHolds,
  readActive,
} from "./holds.ts";
import { lockRules, recordKinds } from "./periods.ts";

type Holds = Pick<
  ServiceImpl<typeof SignService>,
  "setLegalHold" | "listLegalHolds" | "liftLegalHold" | "findPersonHold"
>;

const usualLimit = 100;
/** How long services may take to be over with what they delete. */
const noteMs = 30_000;

export const legalHolds = ({
  pool,
  vault,
  clock,
  newId,
  records,
  deletesNothing,
  wakeRelay,
}: Pick<SignDeps, "pool" | "vault" | "clock" | "newId" | "records" | "deletesNothing" | "wakeRelay">): Holds => ({
  async setLegalHold(request, context) {
    const caller = requireCaller(context);
    const { orgId, clientId, requestId } = caller;
    const agreementId = request.agreementId.toLowerCase() || null;
    const email = request.email.trim();
    if (agreementId !== null && email !== "") {
      throw invalid(problem("email", "CONFLICT", "must not be given with an agreement"));
    }
    // One that nobody can have would keep nothing, and spaces everything.
    if (request.email !== "" && !isEmailAddress(email)) {
      throw invalid(problem("email", "INVALID_EMAIL", "must be an email address"));
    }
    const kind = agreementId !== null ? "agreement" : email !== "" ? "person" : "organization";
    const set = async (tenant: Tenant) => {
      // Before it is answered, deletions that have begun are over.
      await lockRules(tenant);
      if (agreementId !== null && (await loadAgreement(tenant, agreementId)) === undefined) {
        throw new DomainError("ENVELOPE_NOT_FOUND");
      }
      const now = clock.now();
      const made: LegalHold = {
        ...{ id: newId(), kind, agreementId, reason: storable(request.reason) },
        ...{ createdBy: clientId, createdAt: now, liftedBy: "", liftedAt: null },
      };
      const index = emailIndex(vault, orgId, email);
      // Whoever was told 503 sends it again.
      const same = await findSameHold(tenant, made, index);
      if (same !== undefined) return { ...same, mark: await countHolds(tenant) };
      await insertHold(tenant, made, index);
      await insertActs(tenant, [
        {
          ...{ id: newId(), at: now, action: "hold.set", actor: clientId, requestId },
          subjectId: made.id,
          details: { kind },
        },
      ]);
      return { ...made, mark: await countHolds(tenant) };
    };
    const { mark, ...hold } = await untilLocked(context.signal, () => withOrg(pool, orgId, set));
    wakeRelay();
    // What other services were just deleting is over when they answer. The hold stands also when one of them does not.
    const options = { headers: callerHeaders(caller), timeoutMs: noteMs };
    const noted = await Promise.allSettled(recordKinds.map((kind) => records[kind].noteHolds({ mark }, options)));
    const failed = noted.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw new DomainError("SERVICE_UNAVAILABLE", { cause: failed.reason });
    return { hold: holdMessage(hold) };
  },

  async listLegalHolds({ withLifted, cursor, ...request }, context) {
    const { orgId } = requireCaller(context);
    const limit = request.limit || usualLimit;
    const page = { withLifted, before: uuidCursor(cursor), limit: limit + 1 };
    const holds = await withOrg(pool, orgId, (tenant) => listHolds(tenant, page));
    const shown = holds.slice(0, limit);
    return { holds: shown.map(holdMessage), nextCursor: holds.length > limit ? (shown.at(-1)?.id ?? "") : "" };
  },

  async findPersonHold({ email, userRef }, context) {
    const { orgId } = requireCaller(context);
    const person = { email: email.trim(), userRef: userRef.trim() };
    return withOrg(pool, orgId, async (tenant) => ({
      mark: await countHolds(tenant),
      isHeld: await isHeld(tenant, vault, person),
      hasHolds: deletesNothing || (await readActive(tenant)).ids.length > 0,
    }));
  },

  async liftLegalHold(request, context) {
    const { orgId, clientId, requestId } = requireCaller(context);
    const id = request.id.toLowerCase();
    const lift = async (tenant: Tenant) => {
      await lockRules(tenant);
      const found = await findHold(tenant, id);
      if (found === undefined) throw new DomainError("LEGAL_HOLD_NOT_FOUND");
      const lifted = { liftedBy: clientId, liftedAt: clock.now() };
      if (!(await endHold(tenant, id, lifted))) return found;
      await insertActs(tenant, [
        {
          ...{ id: newId(), at: lifted.liftedAt, action: "hold.lifted", actor: clientId, requestId },
          ...{ subjectId: id, details: { kind: found.kind } },
        },
      ]);
      return { ...found, ...lifted };
    };
    const hold = await untilLocked(context.signal, () => withOrg(pool, orgId, lift));
    wakeRelay();
    return { hold: holdMessage(hold) };
  },
});

const records = recordsOf(LegalHoldSchema);
const holdMessage = (hold: LegalHold): MessageInitShape<typeof LegalHoldSchema> => records.write(hold);
