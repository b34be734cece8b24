import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";

export interface NameServer {
  readonly address: string;
  /** The TXT records by their names in lower case; none is answered as a name that is not there. */
  readonly records: Map<string, readonly string[]>;
  /** The names that were asked for. */
  readonly asked: string[];
  /** False: it says that it has failed (SERVFAIL). */
  works: boolean;
  stop(): Promise<void>;
}

const noSuchName = 3;
const failed = 2;

/** A name server of this process that speaks DNS over UDP (RFC 1035) and knows TXT records alone. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket("udp4");
  const server = { records: new Map<string, readonly string[]>(), asked: [] as string[], works: true };
  socket.on("message", (query: Buffer, { port, address }: RemoteInfo) => {
    socket.send(answerTo(query, server), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return Object.assign(server, {
    address: `127.0.0.1:${socket.address().port}`,
    stop: () => new Promise<void>((done) => socket.close(() => done())),
  });
}

function answerTo(query: Buffer, { records, asked, works }: Pick<NameServer, "records" | "asked" | "works">): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const name = labels.join(".").toLowerCase();
  asked.push(name);
  const texts = works ? records.get(name) : undefined;
  const code = texts === undefined ? (works ? noSuchName : failed) : 0;
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  // An answer of the server that has the zone, recursion as it was asked for.
  head.writeUInt16BE(0x8580 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(texts?.length ?? 0, 6);
  return Buffer.concat([head, question, ...(texts ?? []).map(textRecord)]);
}

/** Named by a pointer to the question; in pieces of 255 bytes, as they have to be. */
function textRecord(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const pieces = Array.from({ length: Math.ceil(bytes.length / 255) || 1 }, (_, index) => {
    const piece = bytes.subarray(index * 255, (index + 1) * 255);
    return Buffer.concat([Buffer.from([piece.length]), piece]);
  });
  const data = Buffer.concat(pieces);
  const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
