import { GetConsistencyProofResponseSchema, GetInclusionProofResponseSchema } from "#gen/assent/click/v1/click_pb.ts";
import { base64, bigCount, described, list, orNull, text } from "./kinds.ts";
import { readOnly } from "./members.ts";
import { shown } from "./resource.ts";

const merkleHash = described(base64, "32 bytes in Base64 (RFC 4648 §4).");

export const inclusionProof = shown(GetInclusionProofResponseSchema, {
  leafIndex: readOnly(bigCount),
  treeSize: readOnly(bigCount),
  leafHash: readOnly(merkleHash),
  auditPath: readOnly(list(merkleHash), {
    description: "From the leaf's sibling up to a child of the root (RFC 6962 §2.1.1).",
  }),
  checkpoint: readOnly(orNull(text()), {
    description: "The signed checkpoint of exactly this size (C2SP tlog-checkpoint); null when there is none.",
  }),
});

export const consistencyProof = shown(GetConsistencyProofResponseSchema, {
  from: readOnly(bigCount),
  to: readOnly(bigCount),
  path: readOnly(list(merkleHash), {
    description: "As RFC 6962 §2.1.2 orders it; empty for equal sizes, and from 0.",
  }),
});

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

export const consistencyExample = { from: 2, to: 3, path: [hashes[2]] };
