import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
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
  /** What holds for null, unless it is the default brand. */
  readonly otherwise?: string | null;
}

/** Which brand something has; nothing where the organization has none. */
export function BrandSelect({ value, onChange, otherwise = null }: BrandSelectProps) {
  const texts = useTexts("brands");
  const { data: brands = [] } = useBrands();
  if (brands.length === 0) return null;
  const inherited = brands.find(({ id }) => id === otherwise)?.name;
  const named = brands.find(({ isDefault }) => isDefault)?.name;
  const unchosen = inherited === undefined ? named && texts.defaultOf(named) : texts.ofTemplate(inherited);
  const isKnown = value === null || brands.some(({ id }) => id === value);
  return (
    <Select
      name="brandId"
      label={texts.choose}
      hint={texts.chooseHint}
      options={[
        { id: usual, label: unchosen ?? texts.noBrand },
        ...brands.map(({ id, name }) => ({ id, label: name })),
      ]}
      selectedKey={isKnown ? (value ?? usual) : usual}
      onSelectionChange={(chosen) => onChange(chosen === null || chosen === usual ? null : String(chosen))}
    />
  );
}

interface BrandFieldProps extends Pick<BrandSelectProps, "otherwise"> {
  readonly chosen: string | null;
}

/** The brand of a form, as `brand`. The chosen one is kept apart from the choice, which is not there without brands. */
export function BrandField({ chosen, otherwise = null }: BrandFieldProps) {
  const [brandId, setBrandId] = useState(chosen);
  return (
    <>
      <BrandSelect value={brandId} onChange={setBrandId} otherwise={otherwise} />
      <input type="hidden" name="brand" value={brandId ?? ""} />
    </>
  );
}
