import type { Client } from "@connectrpc/connect";
import type { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";

const knownMs = 60_000;

/** What the convert service prints, asked once a minute: the other process may be replaced by one that prints more. */
export function createKnownFormats(
  client: Pick<Client<typeof ConverterService>, "listFormats">,
  now: () => number,
): () => Promise<ReadonlySet<string>> {
  let known: { readonly formats: ReadonlySet<string>; readonly until: number } | undefined;
  return async () => {
    if (known === undefined || known.until < now()) {
      const { formats } = await client.listFormats({}, { timeoutMs: 5_000 });
      known = { formats: new Set(formats), until: now() + knownMs };
    }
    return known.formats;
  };
}
