import type { Client } from "@connectrpc/connect";
import type { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import { anchorLogId } from "../../services/click/log/leaf.ts";
import {
  type CommandOf,
  logEpochView,
  logWitnessView,
  requiredText,
  requiring,
  setbackView,
  signingKeyView,
  UsageError,
} from "./views.ts";

interface LogList {
  readonly unconfirmed: number;
  readonly witness: ReturnType<typeof logWitnessView>;
  readonly epochs: readonly ReturnType<typeof logEpochView>[];
  readonly setbacks: readonly ReturnType<typeof setbackView>[];
}

const by = (operator: string | null | undefined): string => (operator ? ` by ${operator}` : "");

const confirmation = (at: string | null | undefined, operator: string | null | undefined): string =>
  at === null ? "not confirmed" : `confirmed ${at}${by(operator)}`;

/** The indexes of leaves that are missing, from the first to the last. */
function leavesOf({ from, to }: LogList["epochs"][number]["missing"]): string {
  const count = to - from;
  if (count <= 0) return "no known leaf";
  return count === 1 ? `1 leaf, ${from}` : `${count} leaves, ${from} to ${to - 1}`;
}

/** A command says what it has begun: the logs go on by themselves. */
async function confirmWitness(admin: EvidenceAdminClient) {
  const { confirmed, firstEpoch } = await admin.confirmLogWitness({});
  if (!confirmed) return { confirmed };
  const meaning = `it is unknown what the logs had signed, so each continues in a new epoch, /e${firstEpoch} or later; see evidence-logs list`;
  return { confirmed, firstEpoch, meaning };
}

export type EvidenceAdminClient = Client<typeof EvidenceAdminService>;

/** The keys that evidence is signed with. */
export const evidenceCommands: readonly CommandOf<EvidenceAdminClient>[] = [
  {
    name: "evidence-keys list",
    synopsis: "",
    options: {},
    prepare: () => async (admin) => ({ keys: (await admin.listSigningKeys({})).keys.map(signingKeyView) }),
  },
  requiring("evidence-keys rotate", { purpose: "purpose" }, async (admin, request) =>
    signingKeyView((await admin.rotateSigningKey(request)).key),
  ),
  requiring("evidence-keys revoke", { kid: "kid" }, async (admin, request) =>
    signingKeyView((await admin.revokeSigningKey(request)).key),
  ),
  {
    name: "evidence-logs list",
    synopsis: "",
    options: {},
    prepare: () => async (admin) => {
      const { epochs, unconfirmed, witness, setbacks } = await admin.listLogEpochs({});
      return {
        ...{ unconfirmed, witness: logWitnessView(witness), epochs: epochs.map(logEpochView) },
        setbacks: setbacks.map(setbackView),
      };
    },
    forPeople: (result) => {
      const { unconfirmed, witness, epochs, setbacks } = result as LogList;
      const problem = witness === null ? "none: LOG_WITNESS is empty" : witness.problem;
      const known = `known since ${witness?.since ?? "never"}${by(witness?.confirmedBy)}`;
      const lines = epochs.map(({ log, epoch, missing, openedAt, confirmedAt, confirmedBy }) => [
        `${log === anchorLogId ? "anchor log" : log} e${epoch}`,
        `lacks ${leavesOf(missing)}, opened ${openedAt}, ${confirmation(confirmedAt, confirmedBy)}`,
      ]);
      const others = setbacks.map(({ service, epoch, foundAt, confirmedAt, confirmedBy }) => [
        `database of ${service}`,
        `it or NATS went back in time, found ${foundAt}, events e${epoch}, ${confirmation(confirmedAt, confirmedBy)}`,
      ]);
      return { unconfirmed, witness: problem ?? known, ...Object.fromEntries([...lines, ...others]) };
    },
  },
  {
    name: "evidence-logs confirm",
    synopsis: "--log L|--all|--witness-is-new",
    options: { log: { type: "string" }, all: { type: "boolean" }, "witness-is-new": { type: "boolean" } },
    prepare(values) {
      const isWitness = values["witness-is-new"] === true;
      const given = [values.log !== undefined, values.all === true, isWitness].filter(Boolean);
      if (given.length !== 1) throw new UsageError("give --log, --all or --witness-is-new");
      if (isWitness) return confirmWitness;
      const request = values.all === true ? {} : { logId: requiredText(values, "log") };
      return async (admin) => {
        const { confirmed, setbacks } = await admin.confirmLogEpochs(request);
        return values.all === true ? { confirmed, setbacks } : { confirmed };
      };
    },
  },
];
