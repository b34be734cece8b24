import type { Role } from "../../api/session-types.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Select } from "../../ui/select.tsx";

const roles: readonly Role[] = ["viewer", "developer", "owner"];

/** A choice of roles that says what each of them may do; the field "role" of its form. */
export function RoleSelect({ initial }: { readonly initial: Role }) {
  const texts = useTexts("people");
  const options = roles.map((id) => ({ id, label: texts.roles[id], hint: texts.roleMeanings[id] }));
  return <Select name="role" label={texts.role} options={options} defaultValue={initial} isRequired />;
}
