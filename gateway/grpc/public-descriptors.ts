import {
  clone,
  create,
  createFileRegistry,
  type DescEnum,
  type DescFile,
  type DescMessage,
  type DescService,
  type FileRegistry,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { publicAccess } from "./public-rpcs.ts";

/**
 * The contracts as an outsider may see them: services with their public RPCs, the messages and enums that those need,
 * and the options that are written on them. Internal RPCs, and what only they need, are not in it.
 */
export function publicDescriptors(services: readonly DescService[]): FileRegistry {
  const methods = services.flatMap((service) => service.methods.filter((method) => publicAccess(method) !== undefined));
  const wanted = new Set(methods.map(({ parent }) => parent.file).flatMap(filesOfOptions));
  const types = new Set<DescMessage | DescEnum>();
  for (const { input, output } of methods) {
    reach(input, types);
    reach(output, types);
  }
  const names = new Set<string>([...types, ...methods.map(({ parent }) => parent)].map(({ typeName }) => typeName));
  const methodNames = new Set(methods.map(({ parent, name }) => `${parent.typeName}.${name}`));
  const kept = new Set([...wanted, ...[...types, ...methods.map(({ parent }) => parent)].map(({ file }) => file)]);

  const reduced = (file: DescFile) => {
    const proto = clone(FileDescriptorProtoSchema, file.proto);
    proto.dependency = file.dependencies.filter((one) => kept.has(one)).map((one) => one.proto.name);
    if (wanted.has(file)) return proto;
    const isKept = ({ name }: { name: string }) => names.has(`${proto.package}.${name}`);
    proto.messageType = proto.messageType.filter(isKept);
    proto.enumType = proto.enumType.filter(isKept);
    proto.service = proto.service.filter(isKept);
    for (const service of proto.service) {
      service.method = service.method.filter(({ name }) => methodNames.has(`${proto.package}.${service.name}.${name}`));
    }
    return proto;
  };
  const file = inOrder(kept).map(reduced);
  return createFileRegistry(create(FileDescriptorSetSchema, { file }));
}

/** Those that say what options mean; they are told whole, with all that they import. */
function filesOfOptions(file: DescFile): DescFile[] {
  return withImports(file).flatMap((one) => (one.extensions.length > 0 ? withImports(one) : []));
}

/** Notes a type, what stands around it, and everything that may be in it. */
function reach(type: DescMessage | DescEnum, found: Set<DescMessage | DescEnum>): void {
  let outermost = type;
  while (outermost.parent !== undefined) outermost = outermost.parent;
  if (found.has(outermost)) return;
  found.add(outermost);
  if (outermost.kind === "message") reachFields(outermost, found);
}

function reachFields(message: DescMessage, found: Set<DescMessage | DescEnum>): void {
  for (const { message: inner, enum: choice } of message.fields) {
    if (inner !== undefined) reach(inner, found);
    if (choice !== undefined) reach(choice, found);
  }
  for (const nested of message.nestedMessages) reachFields(nested, found);
}

/** A file after what it imports. */
const withImports = (file: DescFile): DescFile[] => [...file.dependencies.flatMap(withImports), file];

const inOrder = (kept: ReadonlySet<DescFile>): DescFile[] => [
  ...new Set([...kept].flatMap(withImports).filter((file) => kept.has(file))),
];
