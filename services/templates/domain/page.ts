/** What fits into one answer with room to spare: gRPC messages have 4 MiB at most. */
const maxPageBytes = 2_621_440;

/** The most of the items, in their order, that one answer can carry; at least one. */
export function fitPage<T extends { readonly bytes: number }>(items: readonly T[], maxBytes = maxPageBytes): T[] {
  let total = 0;
  const end = items.findIndex((item, index) => {
    total += item.bytes;
    return index > 0 && total > maxBytes;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}
