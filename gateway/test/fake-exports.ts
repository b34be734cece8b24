import { crc32 } from "node:zlib";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { ExportInterval, ExportKind, type ExportService, ExportStatus } from "#gen/assent/auth/v1/exports_pb.ts";
import { AcceptanceFormat } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";

const at = timestampFromDate(new Date(86_400_000));
const content = Buffer.from("<p>Nothing.</p>");

/** The one export of an organization: its id ends as that of the organization does. */
export const exportOf = (orgId: string): string => `01961234-5678-7abc-8def-${orgId.slice(-12)}`;

const enter = (context: HandlerContext, id?: string): string => {
  const own = exportOf(requireCaller(context).orgId);
  if (id !== undefined && id.toLowerCase() !== own) throw new DomainError("EXPORT_NOT_FOUND");
  return own;
};

const sample = (id: string) => ({
  ...{
    id,
    kind: ExportKind.PERSON,
    status: ExportStatus.COMPLETED,
    createdBy: "cl_test",
    createdAt: at,
    completedAt: at,
    expiresAt: at,
  },
  ...{ parts: 1, files: 1, bytes: BigInt(content.length) },
});

/** The one schedule of an organization is named as its export is. */
const enterSchedule = (context: HandlerContext, id?: string): string => {
  const own = exportOf(requireCaller(context).orgId);
  if (id !== undefined && id.toLowerCase() !== own) throw new DomainError("EXPORT_SCHEDULE_NOT_FOUND");
  return own;
};

const schedule = (id: string) => ({
  ...{ id, format: AcceptanceFormat.CSV, every: ExportInterval.WEEKLY, day: 1, at: "06:00", timeZone: "UTC" },
  ...{ paused: false, createdBy: "cl_test", createdAt: at, nextAt: at },
});

/** Exports as the auth service answers them. */
export const fakeExports: ServiceImpl<typeof ExportService> = {
  createExport: (_request, context) => ({ export: sample(enter(context)) }),
  getExport: ({ id }, context) => ({ export: sample(enter(context, id)) }),
  listExports: (_request, context) => ({ exports: [sample(enter(context))] }),
  openExport: ({ id, part }, context) => {
    const own = enter(context, id);
    if (part > 1) throw new DomainError("EXPORT_NOT_FOUND");
    const file = { number: 0, path: "index.html", bytes: BigInt(content.length), crc32: crc32(content) };
    return { export: sample(own), files: [file] };
  },
  readExportFile: ({ id }, context) => {
    enter(context, id);
    return { content, isLast: true };
  },
  createExportSchedule: (_request, context) => ({ schedule: schedule(enterSchedule(context)) }),
  getExportSchedule: ({ id }, context) => ({ schedule: schedule(enterSchedule(context, id)) }),
  listExportSchedules: (_request, context) => ({ schedules: [schedule(enterSchedule(context))] }),
  updateExportSchedule: ({ id }, context) => ({ schedule: schedule(enterSchedule(context, id)) }),
  deleteExportSchedule: ({ id }, context) => {
    enterSchedule(context, id);
    return {};
  },
};
