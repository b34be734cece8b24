import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Brand } from "#api/brands.ts";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Select } from "../../ui/text-field.tsx";

export const brandsPath = "/v1/sign/brands";

export function useBrands() {
  const api = useApi();
  return useQuery({ queryKey: [brandsPath], queryFn: () => api.get<Brand[]>(brandsPath) });
}

/** After a change all of them are read again: another one may be the default now. */
export function useBrandsChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [brandsPath] });
}

/** Whoever may administer what has a brand. */
export function useMayChangeBrands(): boolean {
  const { can } = useSession();
  return can("sign:admin");
}

/** The option of the default brand: no id. */
const usual = "default";

interface BrandSelectProps {
  /** Null for the default brand. */
  readonly value: string | null;
  readonly onChange: (brandId: string | null) => void;
}

/** Which brand something has; nothing where the organization has none. */
export function BrandSelect({ value, onChange }: BrandSelectProps) {
  const texts = useTexts("brands");
  const { data: brands = [] } = useBrands();
  if (brands.length === 0) return null;
  const named = brands.find(({ isDefault }) => isDefault)?.name;
  const isKnown = value === null || brands.some(({ id }) => id === value);
  return (
    <Select
      name="brandId"
      label={texts.choose}
      hint={texts.chooseHint}
      options={[
        { id: usual, label: named === undefined ? texts.noBrand : texts.defaultOf(named) },
        ...brands.map(({ id, name }) => ({ id, label: name })),
      ]}
      selectedKey={isKnown ? (value ?? usual) : usual}
      onSelectionChange={(chosen) => onChange(chosen === null || chosen === usual ? null : String(chosen))}
    />
  );
}
