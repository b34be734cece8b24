import type { JsonObject } from "@bufbuild/protobuf";
import type { AcceptanceLeaf } from "./acceptance-leaf.ts";
import type { ShownFacts } from "./shown.ts";

/** How the text was shown, with the contents that the facts name by their hashes. */
export interface EvidencedShowing {
  /** Null when nothing is known. */
  readonly facts: ShownFacts | null;
  readonly contents: ReadonlyMap<string, Buffer>;
  /** The public key (JWK) of the render token. */
  readonly key: object | null;
}

/** The hashes of the contents that belong to these facts. */
export const hashesOf = (facts: Pick<ShownFacts, "renderHash" | "wordsHash" | "deploymentHash"> | null): string[] =>
  [facts?.renderHash, facts?.wordsHash, facts?.deploymentHash].filter((hash) => typeof hash === "string");

/** What the log tells everybody of how the text was shown; null when it tells nothing. */
export function loggedFacts(leaf: AcceptanceLeaf): ShownFacts | null {
  const { renderedAt, renderHash, wordsHash, deployment: deploymentId, deploymentHash } = leaf;
  const known = { renderedAt, renderHash, wordsHash, deploymentId, deploymentHash };
  if (Object.values(known).every((fact) => fact === null)) return null;
  return { renderId: null, renderToken: null, data: null, ...known };
}

/** The text as it was shown, for the part `agreement` of a bundle. */
export const renderedText = ({ facts, contents }: EvidencedShowing) => ({
  rendered: contents.get(facts?.renderHash ?? "")?.toString("utf8") ?? null,
  renderHash: facts?.renderHash ?? null,
  data: facts?.data ?? null,
});

/** Where and when, for the part `presentation` of a bundle. */
export const showing = ({ facts, contents, key }: EvidencedShowing) => ({
  deployment: jsonOf(contents, facts?.deploymentHash),
  deploymentHash: facts?.deploymentHash ?? null,
  renderedAt: facts?.renderedAt ?? null,
  rendering:
    facts?.renderedAt == null
      ? null
      : {
          renderId: facts.renderId,
          renderedAt: facts.renderedAt,
          renderHash: facts.renderHash,
          words: jsonOf(contents, facts.wordsHash),
          renderToken: facts.renderToken,
          renderTokenKey: key,
        },
});

function jsonOf(contents: ReadonlyMap<string, Buffer>, hash: string | null | undefined): JsonObject | null {
  const content = contents.get(hash ?? "");
  return content === undefined ? null : (JSON.parse(content.toString("utf8")) as JsonObject);
}
