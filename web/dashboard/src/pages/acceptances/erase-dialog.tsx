import type { Erasure } from "#api/erasures.ts";
import { type Api, useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/wrong-input.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { useForget } from "./queries.ts";

/** With why it was asked for. */
export type AskedErasure = Erasure & { readonly reason: string };

interface EraseDialogProps {
  readonly userRef: string;
  readonly isOpen: boolean;
  readonly onErased: (erasure: AskedErasure) => void;
  readonly onClose: () => void;
}

/** Asks for the reason, and for the person's name to be typed. */
export function EraseDialog({ userRef, isOpen, onErased, onClose }: EraseDialogProps) {
  const texts = useTexts("acceptances");
  const api = useApi();
  const forget = useForget();
  const erase = async (values: FormValues) => {
    if (values.text("typed") !== userRef) throw wrongInput(texts.eraseMismatch, "typed");
    onErased(await erasePerson(api, userRef, values.text("reason")));
    onClose();
    await forget();
  };
  return (
    <Dialog title={texts.eraseTitle} isOpen={isOpen} onClose={onClose}>
      <p>{texts.eraseText(userRef)}</p>
      <Form kind="danger" submit={texts.eraseAction} onSubmit={erase} onCancel={onClose}>
        <Select
          name="reason"
          label={texts.eraseReason}
          options={[...texts.eraseReasons].map(([id, label]) => ({ id, label }))}
          defaultValue="DATA_SUBJECT_REQUEST"
        />
        <TextField name="typed" label={texts.eraseTyped} hint={<code>{userRef}</code>} autoComplete="off" isRequired />
      </Form>
    </Dialog>
  );
}

/** May be requested again for a person with more records than one request erases. */
export async function erasePerson(api: Api, userRef: string, reason: string): Promise<AskedErasure> {
  const path = `/v1/click/users/${encodeURIComponent(userRef)}?${new URLSearchParams({ reason })}`;
  return { ...(await api.send<Erasure>("DELETE", path)), reason };
}
