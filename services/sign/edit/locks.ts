import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AgreementLockSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement, EditLock } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext } from "../agreement/change.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import { agreementTarget, decisionContext, requireTarget, waitingCaller } from "../agreement/context.ts";
import { lockedBy, lockOfNow, requireOwnLock } from "../agreement/edit-lock.ts";
import { firstCharacters, storable } from "../agreement/problems.ts";
import { invalidStatus } from "../agreement/transitions.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { isCorrectable } from "./corrections.ts";

const defaultSeconds = 300;
const maxAppLength = 100;

/** While a sender prepares a change, nobody signs, and nobody else changes anything. */
export const agreementLocks = (
  deps: SignDeps,
): SignRpcs<"lockAgreement" | "getAgreementLock" | "extendAgreementLock" | "unlockAgreement"> => ({
  async lockAgreement({ agreementId, durationSeconds: seconds = defaultSeconds, app, ifTurnedOn, observed }, context) {
    const caller = waitingCaller(context);
    const { corrections: isTurnedOn = false } = await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    const lock = { token: randomUUID(), seconds, app: appOf(app), by: caller.clientId };
    const locked = await change(deps, caller, agreementId, (current) => {
      requireLockable(current, { isRefused: ifTurnedOn && !isTurnedOn, now: decision.now });
      return withLock(current, { ...lock, until: untilOf(lock, decision.now) }, decision, "agreement.locked");
    });
    return { lock: lockMessage(requireOwnLock(locked, { ...caller, lockToken: lock.token }, decision.now), caller) };
  },
  async getAgreementLock({ agreementId }, context) {
    const caller = requireCaller(context);
    const lock = lockOfNow(await requireTarget(deps, caller.orgId, agreementTarget(agreementId)), deps.clock.now());
    if (lock === undefined) throw new DomainError("ENVELOPE_NOT_LOCKED");
    return { lock: lockMessage(lock, caller) };
  },
  async extendAgreementLock({ agreementId, durationSeconds, app, observed }, context) {
    const caller = waitingCaller(context);
    const decision = decisionContext(deps, caller, observed);
    const extended = await change(deps, caller, agreementId, (current) => {
      const lock = requireOwnLock(current, caller, decision.now);
      const next = {
        ...lock,
        seconds: durationSeconds ?? lock.seconds,
        app: app === undefined ? lock.app : appOf(app),
      };
      return changeTo({ ...current, editLock: { ...next, until: untilOf(next, decision.now) } }, {});
    });
    return { lock: lockMessage(requireOwnLock(extended, caller, decision.now), caller) };
  },
  async unlockAgreement({ agreementId, observed }, context) {
    const caller = waitingCaller(context);
    const decision = decisionContext(deps, caller, observed);
    let lock: EditLock | undefined;
    await change(deps, caller, agreementId, (current) => {
      lock = requireOwnLock(current, caller, decision.now);
      return withLock(current, null, decision, "agreement.unlocked");
    });
    return lock === undefined ? {} : { lock: lockMessage(lock, caller) };
  },
});

/** A lock is decided on by its own rules. */
const change = (
  deps: SignDeps,
  { lockToken: _, ...caller }: ReturnType<typeof waitingCaller>,
  agreementId: string,
  decide: (current: Agreement) => Change,
): Promise<Agreement> => changeAgreement(deps, caller, agreementTarget(agreementId), decide);

function requireLockable(
  agreement: Agreement,
  { isRefused, now }: { readonly isRefused: boolean; readonly now: Date },
) {
  if (agreement.status !== "created") {
    if (isRefused) throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
    if (!isCorrectable(agreement, now)) throw invalidStatus(agreement, "lock");
  }
  const lock = lockOfNow(agreement, now);
  if (lock !== undefined) throw lockedBy(lock);
}

/** Nothing of what people sign is otherwise, so it counts as unchanged. */
const withLock = (
  agreement: Agreement,
  editLock: EditLock | null,
  { actor }: DecisionContext,
  action: "agreement.locked" | "agreement.unlocked",
): Change => changeTo({ ...agreement, editLock }, { audit: [{ action, actor }] });

const appOf = (app: string): string => firstCharacters(storable(app.trim()), maxAppLength);

const untilOf = ({ seconds }: Pick<EditLock, "seconds">, now: Date): string =>
  new Date(now.getTime() + seconds * 1_000).toISOString();

const lockMessage = (
  { token, seconds, until, app, by }: EditLock,
  { clientId }: Pick<Caller, "clientId">,
): MessageInitShape<typeof AgreementLockSchema> => ({
  token: by === clientId ? token : "",
  durationSeconds: seconds,
  lockedUntil: timestampFromDate(new Date(until)),
  ...{ app, lockedBy: by },
});
