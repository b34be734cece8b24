import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import type { Masked, RecordOf, Records } from "#api/records.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";

interface MaskedRequest<D extends DescMessage> {
  /** What the request calls the message. */
  readonly field: string;
  readonly message: MessageShape<D> | undefined;
  readonly updateMask?: FieldMask | undefined;
  /** The member whose members may be named one by one. */
  readonly divisible?: keyof MessageShape<D> & string;
}

/** Reads what a mask names. Throws CLICK_VALIDATION_FAILED when there is no message, and for what cannot be changed. */
export function readMasked<D extends DescMessage, E>(
  records: Records<D, E>,
  { field, message, updateMask, divisible = "" as never }: MaskedRequest<D>,
): Masked<RecordOf<MessageShape<D>, E>> {
  if (message === undefined) throw invalid(problem(field, "REQUIRED", "must be given"));
  const paths = updateMask?.paths ?? [];
  const masked = records.masked(message, paths);
  const refused = paths.filter((path) => masked.unknown.includes(path) || isPart(path, divisible));
  refuse(refused.map((path) => problem("updateMask", "UNKNOWN_FIELD", `names '${path}', which cannot be changed`)));
  return masked;
}

const isPart = (path: string, divisible: string): boolean => path.includes(".") && !path.startsWith(`${divisible}.`);

/** What is made of a member that is there. */
export const when = <Value, Made>(value: Value | undefined, make: (value: Value) => Made): Made | undefined =>
  value === undefined ? undefined : make(value);
