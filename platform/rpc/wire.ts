import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";

/** What both sides receive at most when nothing else is said. */
export const defaultMaxMessageBytes = 4 * 1024 * 1024;

/** The bytes of a message. The buffer is a view: nothing is copied after serialization. */
export function toWire<D extends DescMessage>(desc: D, message: MessageShape<D>): Buffer {
  const bytes = toBinary(desc, message);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * The message in a buffer. Its bytes fields are views into the buffer, and plain Uint8Arrays as on every other wire:
 * a Buffer's slice() and toJSON() behave differently. Throws `internal` when the bytes are no such message.
 */
export function fromWire<D extends DescMessage>(desc: D, buffer: Buffer): MessageShape<D> {
  try {
    return fromBinary(desc, new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength));
  } catch (error) {
    throw new ConnectError(`cannot parse ${desc.typeName}`, Code.Internal, undefined, undefined, error);
  }
}
