/**
 * Paths of the members of a value that `check` never looked at, such as "/spec/replicaz". Validators made from the
 * schemas of Kubernetes accept members that they do not know; what they have not read, the cluster would ignore.
 */
export function unreadMembers(value: object, check: (watched: object) => void): string[] {
  const seen: { readonly path: string; readonly target: object; readonly read: Set<string> }[] = [];
  const wrapped = new Map<object, object>();

  const watch = (target: object, path: string): object => {
    const known = wrapped.get(target);
    if (known !== undefined) return known;
    const read = new Set<string>();
    seen.push({ path, target, read });
    const proxy = new Proxy(target, {
      get: (object, key) => {
        const member: unknown = Reflect.get(object, key);
        if (typeof key === "string") read.add(key);
        return typeof member === "object" && member !== null ? watch(member, `${path}/${String(key)}`) : member;
      },
    });
    wrapped.set(target, proxy);
    return proxy;
  };

  check(watch(value, ""));
  return seen
    .filter(({ target }) => !Array.isArray(target))
    .flatMap(({ path, target, read }) =>
      Object.keys(target)
        .filter((key) => !read.has(key))
        .map((key) => `${path}/${key}`),
    );
}
