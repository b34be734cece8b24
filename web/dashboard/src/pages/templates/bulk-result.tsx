import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Notice } from "../../ui/states.tsx";

export interface Skipped {
  readonly id: string;
  readonly name: string;
  readonly reason: "not_found" | "has_active_deployments";
}

export interface Copied {
  readonly newId: string;
  readonly name: string;
}

export interface BulkResult {
  /** How many are archived now; undefined when something else was done. */
  readonly archived?: number;
  readonly copies?: readonly Copied[];
  readonly skipped: readonly Skipped[];
}

/** What has come of it, and what was left as it is. */
export function BulkResultNotice({ result: { archived, copies, skipped } }: { readonly result: BulkResult }) {
  const texts = useTexts("templates");
  return (
    <Notice tone={skipped.length > 0 ? "warning" : "success"}>
      {archived !== undefined && <p>{texts.archived(archived)}</p>}
      {copies !== undefined && (
        <>
          <p>{texts.duplicated(copies.length)}</p>
          <ul className="bulk-names">
            {copies.map(({ newId, name }) => (
              <li key={newId}>
                <Link to={`/templates/${newId}`}>{name}</Link>
              </li>
            ))}
          </ul>
        </>
      )}
      {skipped.length > 0 && (
        <>
          <p>{texts.skipped}</p>
          <ul className="bulk-names">
            {skipped.map(({ id, name, reason }) => (
              <li key={id}>
                {name}: {texts.skipReasons[reason]}
              </li>
            ))}
          </ul>
        </>
      )}
    </Notice>
  );
}
