import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { MasterKeyService, Reseal } from "#gen/assent/operations/v1/master_keys_pb.ts";
import { namedService } from "./dead-event-commands.ts";
import type { CommandOf } from "./values.ts";

export type MasterKeyClient = Client<typeof MasterKeyService>;

const options = { service: { type: "string" } } as const;

/** How a master key is replaced once the processes have the new one beside the old one. */
export const masterKeyCommands: readonly CommandOf<MasterKeyClient>[] = [
  {
    name: "master-keys reseal",
    synopsis: "--service S",
    options,
    prepare(values) {
      const request = { service: namedService(values) };
      return async (admin) => resealView(request.service, (await admin.startReseal(request)).reseal);
    },
  },
  {
    name: "master-keys status",
    synopsis: "--service S",
    options,
    prepare(values) {
      const request = { service: namedService(values) };
      return async (admin) => resealView(request.service, (await admin.getReseal(request)).reseal);
    },
  },
];

function resealView(service: string, reseal: Reseal | undefined) {
  const {
    keyIds = [],
    runKeyId,
    startedAt,
    finishedAt,
    seen,
    resealed,
    unreadable,
    removableKeyIds = [],
  } = reseal ?? {};
  return {
    service,
    keys: keyIds,
    state: startedAt === undefined ? "never run" : finishedAt === undefined ? "running" : "finished",
    sealedWith: runKeyId || null,
    startedAt: startedAt === undefined ? null : timestampDate(startedAt).toISOString(),
    finishedAt: finishedAt === undefined ? null : timestampDate(finishedAt).toISOString(),
    seen: Number(seen ?? 0),
    resealed: Number(resealed ?? 0),
    unreadable: Number(unreadable ?? 0),
    removableKeys: removableKeyIds,
  };
}
