import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";

type Handlers = Partial<ServiceImpl<typeof TemplatesService>>;

/**
 * For so long an answer of ResolveTemplates may be used again. Saves most of these calls when acceptances come in
 * hundreds of batches a second, and costs each change as much time.
 */
export const answerValidMs = 25;

/** Timers and clocks of two processes may differ by a little. */
const toleranceMs = 5;

/** What these make or change is in no answer of ResolveTemplates that was given before. */
const additions: ReadonlySet<string> = new Set([
  ...["createTemplate", "createVersion", "putVersionDraft", "deleteVersionDraft", "cancelVersionSchedule"],
  ...["requestVersionApproval", "decideVersionApproval"],
  ...["createScreenshot", "deleteScreenshot", "createTemplateFile"],
]);

/**
 * Lets the answer to a change wait until every answer of ResolveTemplates that was given before the change has run out.
 * Holds over any number of processes, because it only takes time to pass.
 */
export function settleChanges(handlers: Handlers, wait: (ms: number) => Promise<void>): Handlers {
  const settled = Object.entries(handlers).map(([name, handler]) => {
    if (!isChange(name)) return [name, handler];
    const change = handler as (...args: readonly unknown[]) => unknown;
    const settle = async (...args: readonly unknown[]): Promise<unknown> => {
      const answer = await change(...args);
      await wait(answerValidMs + toleranceMs);
      return answer;
    };
    return [name, settle];
  });
  return Object.fromEntries(settled) as Handlers;
}

function isChange(name: string): boolean {
  const method = TemplatesService.methods.find(({ localName }) => localName === name);
  return method?.idempotency !== Idempotency.NO_SIDE_EFFECTS && !additions.has(name);
}
