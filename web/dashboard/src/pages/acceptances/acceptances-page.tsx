import { useMemo } from "react";
import { useSearch } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import type { ReceiptFilter } from "./queries.ts";
import { ReceiptList } from "./receipt-list.tsx";
import { filterNames, ReceiptSearch } from "./receipt-search.tsx";

const pageSize = 25;

/** The search is in the address of the page, so that it can be kept and sent to somebody. */
export function AcceptancesPage() {
  const texts = useTexts("acceptances");
  const search = useSearch();
  const filter = useMemo(() => filterIn(search), [search]);
  const isNarrowed = Object.values(filter).some(Boolean);
  return (
    <Page title={texts.title} intro={texts.intro}>
      <ReceiptSearch filter={filter} isNarrowed={isNarrowed} />
      <ReceiptList
        filter={filter}
        pageSize={pageSize}
        empty={isNarrowed ? <EmptyState title={texts.noMatchTitle} text={texts.noMatchText} /> : <NothingAccepted />}
      />
    </Page>
  );
}

const filterIn = (search: URLSearchParams): ReceiptFilter =>
  Object.fromEntries(filterNames.map((name) => [name, search.get(name) || undefined]));

function NothingAccepted() {
  const texts = useTexts("acceptances");
  const mayAccept = useSession().can("click:write");
  if (!mayAccept) return <EmptyState title={texts.noneTitle} text={texts.noneReadOnly} />;
  return <EmptyState title={texts.noneTitle} text={texts.noneText} action={<CopyLine text={acceptLine()} />} />;
}

/** Ready to be pasted into a shell that has an API key and the name of a published text. */
function acceptLine(): string {
  const headers = `-H "Authorization: Bearer $API_KEY" -H "X-Idempotency-Key: $(uuidgen)"`;
  const body = '{"templateSlug":"terms-of-service","userRef":"user-42","action":"CHECKBOX_AND_BUTTON"}';
  return `curl -X POST ${window.location.origin}/v1/click/accept ${headers} -H "Content-Type: application/json" -d '${body}'`;
}
