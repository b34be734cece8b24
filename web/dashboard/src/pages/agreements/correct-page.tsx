import { useState } from "react";
import type { Agreement } from "#api/agreements.ts";
import { useApi } from "../../api/client.ts";
import { Link, useNavigate } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useLeaveGuard } from "../../ui/use-leave-guard.tsx";
import { FieldsStep } from "../sending/fields-step.tsx";
import { RecipientRows } from "../sending/recipient-rows.tsx";
import { allOf } from "../sending/recipients.ts";
import "../sending/sending.css";
import { type Correction, correctionBody, correctionOf, draftWith, withFreeIds } from "./correction.ts";
import { CorrectionTimes } from "./correction-times.tsx";
import { agreementPath, useAgreement, useAgreementChanges } from "./queries.ts";
import { isOpen } from "./types.ts";
import { useCorrectionWords } from "./use-correction-words.ts";

/** Changes an agreement that was sent: all of it at once, once it was looked at. */
export function CorrectPage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("agreements");
  const { data: agreement, error, refetch } = useAgreement(id);
  return (
    <Page
      title={texts.correctTitle(agreement?.emailSubject ?? texts.untitled)}
      intro={<Link to={`/agreements/${id}`}>{texts.toAgreement}</Link>}
    >
      {agreement === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {agreement !== undefined && !isOpen(agreement) && (
        <EmptyState
          title={texts.correctTooLate}
          text={texts.correctTooLateText}
          action={<ButtonLink to={`/agreements/${id}`}>{texts.toAgreement}</ButtonLink>}
        />
      )}
      {agreement !== undefined && isOpen(agreement) && <Correcting now={agreement} />}
    </Page>
  );
}

/** What is read anew in the background changes nothing here: the API says when somebody else was faster. */
function Correcting({ now }: { readonly now: Agreement }) {
  const texts = useTexts("agreements");
  const [agreement, setAgreement] = useState(now);
  const [wanted, setWanted] = useState(() => correctionOf(now));
  const [isReviewed, setIsReviewed] = useState(false);
  const words = useCorrectionWords(agreement, wanted);
  const begin = () => {
    setAgreement(now);
    setWanted(correctionOf(now));
  };
  useLeaveGuard(words.length > 0, () => setWanted(correctionOf(agreement)));
  const change = (part: Partial<Correction>) => setWanted((last) => ({ ...last, ...part }));
  const asked = new Set(allOf(agreement.recipients).map(({ recipientId }) => recipientId));
  return (
    <div className="sending-form">
      {now.modifiedAt !== agreement.modifiedAt && (
        <Notice tone="warning">
          <p>{texts.correctOthersWere}</p>
          <Button onPress={begin}>{texts.correctBeginAgain}</Button>
        </Notice>
      )}
      <Form submit={texts.correctReview} asksBeforeLeaving={false} onSubmit={async () => setIsReviewed(true)}>
        <Section title={texts.recipients} intro={texts.correctRecipientsIntro}>
          <RecipientRows
            recipients={wanted.people}
            asked={asked}
            onChange={(people) => change({ people: withFreeIds(agreement, people) })}
          />
        </Section>
        <Section title={texts.correctMail}>
          <TextField
            name="emailSubject"
            label={texts.correctSubject}
            value={wanted.subject}
            onChange={(subject) => change({ subject })}
            isRequired
            maxLength={100}
          />
          <TextField
            name="emailBlurb"
            label={texts.message}
            value={wanted.message}
            onChange={(message) => change({ message })}
            rows={4}
            maxLength={10_000}
          />
        </Section>
        <CorrectionTimes wanted={wanted} onChange={change} />
        <CorrectionFields agreement={agreement} wanted={wanted} onChange={change} />
      </Form>
      {isReviewed && <Review {...{ agreement, wanted, words }} onClose={() => setIsReviewed(false)} />}
    </div>
  );
}

interface PartProps {
  readonly agreement: Agreement;
  readonly wanted: Correction;
}

/** Loaded when somebody wants it: most corrections are about people. */
function CorrectionFields({
  agreement,
  wanted,
  onChange,
}: PartProps & { readonly onChange: (part: Partial<Correction>) => void }) {
  const texts = useTexts("agreements");
  const [isShown, setIsShown] = useState(false);
  const who = wanted.people.map(({ recipientId, role }) => `${recipientId} ${role}`).join(" ");
  return (
    <Section title={texts.correctFields} intro={texts.correctFieldsIntro}>
      {isShown ? (
        <FieldsStep key={who} draft={draftWith(agreement, wanted)} onChange={(fields) => onChange({ fields })} />
      ) : (
        <div>
          <Button onPress={() => setIsShown(true)}>{texts.correctShowFields}</Button>
        </div>
      )}
    </Section>
  );
}

interface ReviewProps extends PartProps {
  readonly words: readonly string[];
  readonly onClose: () => void;
}

/** The number of characters that are stored. */
const longestReason = 500;

/** What changes is shown before it is sent. */
function Review({ agreement, wanted, words, onClose }: ReviewProps) {
  const texts = useTexts("agreements");
  const api = useApi();
  const navigate = useNavigate();
  const { agreementIs } = useAgreementChanges();
  const send = async (values: FormValues) => {
    const body = correctionBody(agreement, wanted, values.text("reason"));
    await agreementIs(await api.send<Agreement>("POST", `${agreementPath(agreement.id)}/corrections`, body));
    navigate(`/agreements/${agreement.id}`, { replace: true });
  };
  return (
    <Dialog title={texts.correctReviewTitle} isOpen onClose={onClose}>
      {words.length === 0 ? (
        <p>{texts.correctNothing}</p>
      ) : (
        <Form submit={texts.correctSend} onSubmit={send} onCancel={onClose} asksBeforeLeaving={false}>
          <ul className="agreement-changes">
            {words.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          <p>{texts.correctConsequence}</p>
          <TextField
            name="reason"
            label={texts.reason}
            hint={texts.correctReasonHint}
            rows={2}
            maxLength={longestReason}
          />
        </Form>
      )}
    </Dialog>
  );
}
