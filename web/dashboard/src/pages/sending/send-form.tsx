import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { useNavigate } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Form, type FormValues, RadioGroup } from "../../ui/form.tsx";
import { MomentField, momentIn } from "../../ui/moment-field.tsx";
import { Notice } from "../../ui/states.tsx";
import { pathOf, useDraftChanges } from "./queries.ts";
import type { Draft } from "./types.ts";

type When = "now" | "later";

/** Sends the draft now, or at a time. */
export function SendForm({ draft, isReady }: { readonly draft: Draft; readonly isReady: boolean }) {
  const texts = useTexts("sending");
  const { timeZone } = useLanguage();
  const api = useApi();
  const sendOnce = useSendOnce();
  const navigate = useNavigate();
  const { draftGone, othersChanged } = useDraftChanges();
  const { schedule } = draft;
  const [when, setWhen] = useState<When>(schedule === null ? "now" : "later");
  const send = async (values: FormValues) => {
    const sendAt = when === "now" ? null : momentIn(values, "sendAt", timeZone, texts.sendTimes).toISOString();
    if (sendAt !== null || schedule !== null) {
      await api.send("PATCH", pathOf(draft.id), { schedule: sendAt === null ? null : { sendAt } });
    }
    await sendOnce(`${pathOf(draft.id)}/send`);
    await othersChanged(draft.id);
    navigate(`/agreements/${draft.id}`, { replace: true });
    draftGone(draft.id);
  };
  if (!isReady) return <Notice>{texts.sendWhenReady}</Notice>;
  return (
    <Form submit={when === "now" ? texts.send : texts.sendLater} onSubmit={send} asksBeforeLeaving={false}>
      <RadioGroup
        label={texts.when}
        options={[
          { id: "now", label: texts.whenNow },
          { id: "later", label: texts.whenLater },
        ]}
        value={when}
        onChange={(id) => setWhen(id as When)}
      />
      {when === "later" && (
        <MomentField
          name="sendAt"
          label={texts.sendAt}
          hint={texts.sendAtHint(timeZone)}
          twice={texts.sendAtTwice}
          told={texts.sendAtTold}
          initial={schedule?.sendAt ?? undefined}
        />
      )}
      <p className="sending-quiet">{when === "now" ? texts.sendHint : texts.sendLaterHint}</p>
    </Form>
  );
}
