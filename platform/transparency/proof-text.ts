/** What a C2SP tlog-proof is made of. */
export interface ProofParts {
  readonly index: number;
  /** From the leaf's sibling up to a child of the root (RFC 6962 §2.1.1). */
  readonly path: readonly Buffer[];
  /** The signed note of the tree that the path leads to. */
  readonly checkpoint: string;
}

/** A C2SP tlog-proof (version 1): with the leaf and the log's verifier key, all that is needed to check without a network. */
export const proofText = ({ index, path, checkpoint }: ProofParts): string =>
  [`c2sp.org/tlog-proof@v1`, `index ${index}`, ...path.map((hash) => hash.toString("base64")), "", checkpoint].join(
    "\n",
  );
