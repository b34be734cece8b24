import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type PersonalItemJson, PersonalItemSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { heldItem } from "#platform/db/erasure-answers.ts";
import { withHolds } from "#platform/db/hold-marks.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import type { HolderName } from "./holders.ts";
import { findAccounts, type PersonHold } from "./own-people.ts";
import type { SoughtPerson } from "./person.ts";

export type AskDeps = Pick<AuthDeps, "holders" | "people">;

/** Where an erasure is: which service it asks, and from where on. */
export interface Place {
  readonly step: number;
  readonly position: string;
}

export interface AskedPage {
  readonly items: readonly PersonalItemJson[];
  readonly next: Place;
}

/** Longer than services take for one page. */
const timeoutMs = 60_000;
const optionsFor = (caller: Caller) => ({ headers: callerHeaders(caller), timeoutMs });

/** Asks a service for its next page: to erase when there is an erasure, else what there is. */
export async function askNext(
  deps: AskDeps,
  caller: Caller,
  person: SoughtPerson,
  name: HolderName,
  { step, position }: Place,
  erasure: { readonly id: string; readonly ground: string } | undefined,
): Promise<AskedPage> {
  const options = optionsFor(caller);
  const holder = deps.holders[name];
  // Sign looks itself, in the transaction of each agreement; the holds are there.
  const findHold = (): Promise<PersonHold> =>
    name === "sign" ? Promise.resolve({ isHeld: false, mark: 0 }) : findPersonHold(deps, caller, person);
  // An erasure that has begun is told what it did before a hold came, which nothing finds any more.
  const { page, isHeld } = await withHolds(findHold, async ({ isHeld, mark }) => ({
    isHeld,
    page:
      erasure === undefined
        ? await holder.findPerson({ person, cursor: position }, options)
        : await holder.erasePerson(
            { person, erasureId: erasure.id, ground: erasure.ground, cursor: position, isHeld, holdMark: mark },
            options,
          ),
  }));
  const items = isHeld && erasure === undefined ? page.items.map(heldItem) : page.items;
  const next = page.nextCursor === "" ? { step: step + 1, position: "" } : { step, position: page.nextCursor };
  return { items: items.map(jsonOf), next };
}

/** Whether a legal hold on the person, by any address that is known here, or on the organization keeps everything of them. */
export async function findPersonHold(deps: AskDeps, caller: Caller, person: SoughtPerson): Promise<PersonHold> {
  const accounts = await withOrg(deps.people, caller.orgId, (tenant) => findAccounts(tenant, person));
  const marks: number[] = [];
  for (const email of new Set([person.email, ...accounts.map((one) => one.email)])) {
    const hold = await deps.holders.holds.findPersonHold({ email, userRef: person.userRef }, optionsFor(caller));
    if (hold.isHeld) return hold;
    marks.push(hold.mark);
  }
  // A hold that was set while the addresses were asked about is not known of each.
  return { isHeld: false, mark: Math.min(...marks) };
}

export const jsonOf = (item: MessageInitShape<typeof PersonalItemSchema>): PersonalItemJson =>
  toJson(PersonalItemSchema, create(PersonalItemSchema, item));
