import { useState } from "react";
import { Link } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { AgreementTable, ConsentTable, HistoryTable } from "./consent-tables.tsx";
import { EraseDialog } from "./erase-dialog.tsx";
import { ErasureResult } from "./erasure-result.tsx";
import { useConsentState } from "./queries.ts";
import { ReceiptList } from "./receipt-list.tsx";
import type { Erasure } from "./types.ts";
import "./acceptances.css";

const pageSize = 10;

/** What is recorded of somebody, under the name that the customer's system has for them. */
export function PersonPage({ params }: PageParams) {
  const userRef = params.get("userRef") ?? "";
  const texts = useTexts("acceptances");
  const mayErase = useSession().can("click:admin");
  const [isErasing, setIsErasing] = useState(false);
  const [erasure, setErasure] = useState<Erasure>();
  // What was just erased has nothing left; what a part was left of is gone on with below.
  const erase = mayErase && erasure === undefined && (
    <Button kind="danger" onPress={() => setIsErasing(true)}>
      {texts.erase}
    </Button>
  );
  return (
    <Page
      title={userRef}
      intro={
        <>
          {texts.personIntro} <Link to="/acceptances">{texts.back}</Link>
        </>
      }
      actions={erase}
    >
      {erasure !== undefined && <ErasureResult userRef={userRef} erasure={erasure} onErased={setErasure} />}
      <Known userRef={userRef} />
      {mayErase && (
        <EraseDialog userRef={userRef} isOpen={isErasing} onErased={setErasure} onClose={() => setIsErasing(false)} />
      )}
    </Page>
  );
}

function Known({ userRef }: { readonly userRef: string }) {
  const texts = useTexts("acceptances");
  const { data: state, error, refetch } = useConsentState(userRef);
  if (state === undefined) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  const { consents, agreements, history } = state;
  if (consents.length + agreements.length + history.length === 0) {
    return (
      <ReceiptList
        filter={{ userRef }}
        pageSize={pageSize}
        withPerson={false}
        empty={<EmptyState title={texts.personNoneTitle} text={texts.personNoneText} />}
      />
    );
  }
  return (
    <>
      <Section title={texts.consentsTitle}>
        <ConsentTable consents={consents} />
      </Section>
      <Section title={texts.agreementsTitle}>
        <AgreementTable agreements={agreements} />
      </Section>
      <Section title={texts.title}>
        <ReceiptList filter={{ userRef }} pageSize={pageSize} withPerson={false} empty={<p>{texts.noAgreements}</p>} />
      </Section>
      <Section title={texts.historyTitle}>
        <HistoryTable history={history} />
      </Section>
    </>
  );
}
