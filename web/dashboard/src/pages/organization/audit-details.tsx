import { useTexts } from "../../texts/texts.tsx";

/** What an event tells beside what was done, in words as far as there are any. */
export function AuditDetails({ details }: { readonly details: Readonly<Record<string, string>> }) {
  const { names, values, browserDefault } = useTexts("people").trail;
  const wordsOf = (name: string, value: string): string =>
    value === "" ? browserDefault : (values.get(`${name} ${value}`) ?? value);
  return Object.entries(details).map(([name, value]) => (
    <small key={name}>{`${names.get(name) ?? name}: ${wordsOf(name, value)}`}</small>
  ));
}
