import type { JsonSchema } from "#api/kinds.ts";
import { proofText } from "#platform/transparency/merkle.ts";
import type { TextParam } from "./route.ts";
import { answer, anyText, count, described, integer, listOf, orNull } from "./schema-parts.ts";

/** What JavaScript counts exactly, and query parameters are read up to. */
export const treeSize: JsonSchema = integer(0, 999_999_999_999_999);

const merkleHash: JsonSchema = described(anyText, "32 bytes in Base64 (RFC 4648 §4).");

export const inclusionProofSchema: JsonSchema = answer({
  leafIndex: count,
  treeSize: count,
  leafHash: merkleHash,
  auditPath: described(listOf(merkleHash), "From the leaf's sibling up to a child of the root (RFC 6962 §2.1.1)."),
  checkpoint: orNull(
    described(anyText, "The signed checkpoint of exactly this size (C2SP tlog-checkpoint); null when there is none."),
  ),
});

export const consistencyProofSchema: JsonSchema = answer({
  from: count,
  to: count,
  path: described(listOf(merkleHash), "As RFC 6962 §2.1.2 orders it; empty for equal sizes, and from 0."),
});

const tileParam = (names: string, description: string, pattern: string, example: string): TextParam => ({
  names,
  schema: { type: "string", description, maxLength: 15, pattern, examples: [example] },
  otherwise: "CLICK_TILE_NOT_FOUND",
});

export const tileParams = {
  level: tileParam("tileLevel", "0 for the hashes of leaves; each level up has one per 256.", "^[0-6]$", "0"),
  index: tileParam(
    "tileIndex",
    "Which tile of its level, from 0; 7 may be written 007.",
    "^([0-9]{3}|0|[1-9][0-9]{0,14})$",
    "0",
  ),
};

export const tileWidthParam: TextParam = tileParam(
  "tileWidth",
  "How many hashes, 1 to 255.",
  "^([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$",
  "3",
);

/** A log of three leaves, signed with the key that the examples of the keys show. */
const hashes = [
  "oa8DAjHKL9IOzzDFKUuvj2kyHQm7FqxTiFzNF6OFKA0=",
  "qU3U08LG0lSMpOVg1ycnurXXlVABkfW4VXkTDdOxRgM=",
  "ZW0+j1RCOM324y1kD1G6CRSVmxTt16UtC4uZq0yKxsY=",
] as const;
const root = "w2UeVBcUxT1kjsx7rsp/4sNu9PplvM4ksdcShkN95WY=";
const checkpointOf = (origin: string, signature: string): string =>
  `${origin}\n3\n${root}\n\n\u2014 ${origin} ${signature}\n`;

export const checkpointExample = checkpointOf(
  "agreements.example.com/click/log/01961234-5678-7abc-8def-0123456789ab",
  "MLfjDxckBZOvjvtBVlYIFyrtCtEIHpWOt0JRiMkWRiV0qulvj72/DwsR7FNirRH2xksGeq0UsKmYPSngww2VOPQ0ogc=",
);

export const anchorCheckpointExample = checkpointOf(
  "agreements.example.com/click/log/anchor",
  "tG4qYT721GZ9bzBcEpWK4hzgk+ZuFGfj3yRyK4n27Ggd+C+ZHmy/+VZNTzBUu1t9Shyqd8E3/Ay/BKu9gcNEfj0AcQE=",
);

export const inclusionExample = {
  leafIndex: 1,
  treeSize: 3,
  leafHash: hashes[1],
  auditPath: [hashes[0], hashes[2]],
  checkpoint: checkpointExample,
};

export const proofTextExample = proofText({
  index: 1,
  path: inclusionExample.auditPath.map((hash) => Buffer.from(hash, "base64")),
  checkpoint: checkpointExample,
});

export const consistencyExample = { from: 2, to: 3, path: [hashes[2]] };
