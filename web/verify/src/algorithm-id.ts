import type { HashName } from "./bytes.ts";
import { type Der, oid, sequence, tags } from "./der.ts";
import { hashes } from "./object-ids.ts";
import { ensure, fail } from "./problem.ts";

/** The identifier in an AlgorithmIdentifier (RFC 5280 §4.1.1.2) of an algorithm that takes no parameters. */
export function algorithmId(element: Der | undefined, name: string): string {
  const [id, parameters, ...others] = sequence(element, name);
  const isPlain = parameters === undefined || (parameters.tag === tags.null && parameters.content.length === 0);
  ensure(isPlain && others.length === 0, `${name} has an algorithm with parameters`);
  return oid(id, name);
}

export function hashAlgorithm(element: Der | undefined, name: string): { id: string; hash: HashName } {
  const id = algorithmId(element, name);
  return {
    id,
    hash: hashes[id] ?? fail(`${name} uses the hash algorithm ${id}, which is not known or proves nothing`),
  };
}
