import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { MasterKeyService, type ResealSchema } from "#gen/assent/operations/v1/master_keys_pb.ts";
import { DomainError } from "../errors.ts";
import type { RpcRoutes } from "../rpc/routes.ts";
import type { Resealer, ResealState } from "./reseal.ts";

/** What operators do when a master key is replaced, for the admin port of a process. */
export function masterKeyRoutes(resealers: readonly Resealer[]): RpcRoutes {
  const find = (service: string): Resealer => {
    const found = resealers.find((one) => one.service === service);
    if (found !== undefined) return found;
    const known = resealers.length === 0 ? "none" : resealers.map((one) => one.service).join(", ");
    throw new DomainError("NOT_FOUND", {
      message: `This process has no master key of a service with this name; it has ${known}.`,
    });
  };
  return (router) => {
    router.service(MasterKeyService, {
      startReseal: async ({ service }) => ({ reseal: messageOf(await find(service).start()) }),
      getReseal: async ({ service }) => ({ reseal: messageOf(await find(service).state()) }),
    });
  };
}

function messageOf({ keyIds, run }: ResealState): MessageInitShape<typeof ResealSchema> {
  if (run === undefined) return { keyIds: [...keyIds] };
  const isOver = run.finishedAt !== null && run.keyId === keyIds[0] && run.unreadable === 0;
  return {
    keyIds: [...keyIds],
    runKeyId: run.keyId,
    startedAt: timestampFromDate(run.startedAt),
    ...(run.finishedAt !== null && { finishedAt: timestampFromDate(run.finishedAt) }),
    seen: BigInt(run.seen),
    resealed: BigInt(run.resealed),
    unreadable: BigInt(run.unreadable),
    removableKeyIds: isOver ? keyIds.slice(1) : [],
  };
}
