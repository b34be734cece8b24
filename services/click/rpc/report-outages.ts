import type { HandlerContext } from "@connectrpc/connect";
import { asKnownError } from "../accept/failures.ts";

type Handlers = Readonly<Record<string, (request: never, context: HandlerContext) => unknown>>;

/** The same handlers, which tell of an outage of the database or of the templates service as SERVICE_UNAVAILABLE. */
export const reportOutages = <H extends Handlers>(handlers: H): H =>
  Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      async (request: never, context: HandlerContext) => {
        try {
          return await handle(request, context);
        } catch (error) {
          throw asKnownError(error) ?? error;
        }
      },
    ]),
  ) as unknown as H;
