/** An address of an asset as HTML and Markdown have it; ids are compared in lower case. */
const address = /\basset:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f-])/gi;

/** The ids that stand in `asset:` addresses of a content, each once: at least those that its images show. */
export const namedAssets = (content: string): string[] => [
  ...new Set([...content.matchAll(address)].map((match) => (match[1] ?? "").toLowerCase())),
];
