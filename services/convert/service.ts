import { availableParallelism } from "node:os";
import { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import type { Runtime, Service } from "#platform/service.ts";
import type { ConvertConfig } from "./config.ts";
import { createConverter } from "./converter.ts";
import type { OfficeLimits } from "./guards.ts";
import { findOffice, openOffice } from "./office.ts";

/** What a PDF may have that is a document of an agreement. */
const maxFileBytes = 25 * 1024 * 1024;

/** The largest message: a file, or the PDF of it. */
export const maxMessageBytes = maxFileBytes + 64 * 1024;

/**
 * Prints Office files as PDFs. It has no database, no secrets but the one that processes know each other by, and calls
 * nobody: LibreOffice reads files that may be made to break it. Throws without LibreOffice.
 */
export function createConvertService(
  config: ConvertConfig,
  { runtime: { logger, metrics } }: { readonly runtime: Pick<Runtime, "logger" | "metrics"> },
): Service {
  const program = config.program || findOffice(config.path ?? "");
  if (program === undefined) throw new Error("there is no soffice on PATH: install LibreOffice, or set OFFICE_PROGRAM");
  const office = openOffice(program, limitsOf(config), logger);
  const places = config.processes || Math.min(2, availableParallelism());
  const isApart = async () => config.isApart === true || (await office.isApart());
  const converter = createConverter({ office, isApart, places, logger, metrics });
  return {
    name: "convert",
    routes: (router) =>
      router.service(ConverterService, {
        listFormats: async () => ({ formats: [...(await converter.formats())] }),
        convertFile: async ({ format, content }, context) => {
          const { orgId } = requireCaller(context);
          return { pdf: await converter.convert(orgId, format, content, context.signal) };
        },
      }),
    workers: [],
    checkReady: () => office.prepare(),
    close: () => converter.close(),
  };
}

const limitsOf = ({ seconds = 20, memoryMb = 768 }: ConvertConfig): OfficeLimits => ({
  ...{ deadlineMs: seconds * 1000, maxMemoryMb: memoryMb, maxFileBytes },
});
