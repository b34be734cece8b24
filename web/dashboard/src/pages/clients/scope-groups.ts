import type { Texts } from "../../texts/texts.tsx";
import type { Option } from "../../ui/select.tsx";

/** Everything that a client may be allowed, by the part of the product that it belongs to. */
export function scopeGroups({
  groups,
  meanings,
}: Texts["clients"]): { id: string; label: string; options: Option[] }[] {
  return Object.entries(groups).map(([id, label]) => ({
    id,
    label,
    options: Object.entries(meanings)
      .filter(([scope]) => scope.startsWith(`${id}:`))
      .map(([scope, meaning]) => ({ id: scope, label: scope, hint: meaning })),
  }));
}
