import { useNavigate, usePath, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Select } from "../../ui/select.tsx";

interface StatusFilterProps<Name extends string> {
  readonly label: string;
  /** Of the parameter in the address of the page, so that what is shown can be sent to somebody. */
  readonly name: string;
  readonly words: Readonly<Record<Name, string>>;
  readonly statuses: readonly Name[];
}

export function StatusFilter<Name extends string>({ label, name, words, statuses }: StatusFilterProps<Name>) {
  const { anyState } = useTexts("generation");
  const search = useSearch();
  const path = usePath();
  const navigate = useNavigate();
  const show = (status: string) => {
    const wanted = new URLSearchParams(search);
    if (status === anything) wanted.delete(name);
    else wanted.set(name, status);
    navigate(wanted.size === 0 ? path : `${path}?${wanted}`, { replace: true });
  };
  return (
    <div className="gen-filters">
      <Select
        label={label}
        options={[{ id: anything, label: anyState }, ...statuses.map((id) => ({ id, label: words[id] }))]}
        value={statusIn(search, name, statuses) ?? anything}
        onChange={(key) => show(String(key))}
      />
    </div>
  );
}

/** Undefined for all, and for what is none of them. */
export const statusIn = <Name extends string>(
  search: URLSearchParams,
  name: string,
  statuses: readonly Name[],
): Name | undefined => statuses.find((status) => status === search.get(name));

const anything = "*";
