import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { type AdminService, DeletionStatus, type OrganizationDeletion } from "#gen/assent/auth/v1/auth_pb.ts";
import type { MasterKeyService, Reseal } from "#gen/assent/operations/v1/master_keys_pb.ts";
import { namedService } from "./dead-event-commands.ts";
import { type CommandOf, isoTime, requiring } from "./views.ts";

const statuses = new Map<DeletionStatus, string>(
  Object.entries(DeletionStatus).map(([name, value]) => [value, name.toLowerCase()]),
);

export const deletionCommands: readonly CommandOf<Client<typeof AdminService>>[] = [
  requiring(
    "organizations delete",
    { organizationId: "organization", name: "name", requestedBy: "by" },
    async (admin, request) => deletionView((await admin.deleteOrganization(request)).deletion),
  ),
  requiring("organizations withdraw-deletion", { organizationId: "organization" }, async (admin, request) =>
    deletionView((await admin.withdrawOrganizationDeletion(request)).deletion),
  ),
  requiring("organizations deletion", { organizationId: "organization" }, async (admin, request) =>
    deletionView((await admin.getOrganizationDeletion(request)).deletion),
  ),
];

function deletionView(deletion: OrganizationDeletion | undefined): object {
  if (deletion === undefined) throw new Error("the answer contains no deletion");
  const { id: deletionId, organizationId, status, requestedBy, certificate } = deletion;
  return {
    ...{ deletionId, organizationId, status: statuses.get(status) ?? "unknown", requestedBy },
    requestedAt: isoTime(deletion.requestedAt),
    effectiveAt: isoTime(deletion.effectiveAt),
    closedAt: isoTime(deletion.closedAt),
    completedAt: isoTime(deletion.completedAt),
    certificate: certificate || null,
  };
}

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
