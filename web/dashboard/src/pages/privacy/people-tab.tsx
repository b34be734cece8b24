import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PersonExport } from "#api/exports.ts";
import type { PersonalItem, PersonErasure } from "#api/person-erasures.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { useNavigate } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice } from "../../ui/states.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { countOf, ItemsTable, OutcomeTiles } from "./personal-items.tsx";
import { type AskedExport, askedExportKey, useRefresh } from "./queries.ts";

/** Finds what is kept of a person, and erases it. The name stays out of the address of the page. */
export function PeopleTab() {
  const texts = useTexts("privacy");
  const [found, setFound] = useState<Found>();
  const [isErasing, setIsErasing] = useState(false);
  const sendOnce = useSendOnce();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const refresh = useRefresh();
  const toExport = useAction(async (person: PersonName) => {
    const { id } = await sendOnce<PersonExport>("/v1/privacy/exports", person);
    queries.setQueryData<readonly AskedExport[]>(askedExportKey, [[id, nameOf(person)]]);
    await refresh();
    navigate("/privacy/exports");
  });
  return (
    <>
      <Section title={texts.findTitle} intro={texts.findIntro}>
        <FindForm onFound={setFound} />
      </Section>
      <p className="unseen" role="status">
        {found && texts.foundCount(found.items.length)}
      </p>
      {found && (
        <Section
          title={texts.foundTitle(nameOf(found.person))}
          actions={
            found.items.length > 0 && (
              <>
                <Button isBusy={toExport.isBusy} onPress={() => void toExport.run(found.person)}>
                  {texts.exportFound}
                </Button>
                <Button kind="danger" onPress={() => setIsErasing(true)}>
                  {texts.erase}
                </Button>
              </>
            )
          }
        >
          {toExport.error !== undefined && <ErrorNotice error={toExport.error} />}
          {found.items.length === 0 ? (
            <EmptyState title={texts.nothingFoundTitle} text={texts.nothingFoundText} />
          ) : (
            <>
              <OutcomeTiles counts={countOf(found.items)} isAhead />
              <ItemsTable items={found.items} isAhead />
            </>
          )}
        </Section>
      )}
      {found && isErasing && <EraseDialog found={found} onClose={() => setIsErasing(false)} />}
    </>
  );
}

/** As the API takes it. */
interface PersonName {
  readonly email?: string;
  readonly userRef?: string;
}

interface Found {
  readonly person: PersonName;
  readonly items: readonly PersonalItem[];
}

const nameOf = ({ email, userRef }: PersonName): string => [email, userRef].filter(Boolean).join(", ");

function FindForm({ onFound }: { readonly onFound: (found: Found | undefined) => void }) {
  const texts = useTexts("privacy");
  const api = useApi();
  const find = async (values: FormValues) => {
    const person = personIn(values, texts.nobodyNamed);
    onFound(undefined);
    const items: PersonalItem[] = [];
    let cursor: string | undefined;
    do {
      const page = await api.searchPage<PersonalItem[]>("/v1/privacy/persons/search", person, { cursor });
      items.push(...page.body);
      cursor = page.next;
    } while (cursor !== undefined);
    onFound({ person, items });
  };
  return (
    <Form asksBeforeLeaving={false} submit={texts.findPerson} onSubmit={find}>
      <PersonFields />
    </Form>
  );
}

/** Whom a request is about: the fields `email` and `userRef`, of which at least one is to be filled in. */
export function PersonFields() {
  const texts = useTexts("privacy");
  return (
    <>
      <TextField name="email" type="email" label={texts.email} maxLength={320} autoComplete="off" />
      <TextField name="userRef" label={texts.userRef} hint={texts.userRefHint} maxLength={500} autoComplete="off" />
    </>
  );
}

/** Throws what is to be shown at the field. */
export function personIn(values: FormValues, nobody: string): { readonly email?: string; readonly userRef?: string } {
  const [email, userRef] = [values.text("email").trim(), values.text("userRef").trim()];
  if (email === "" && userRef === "") throw wrongInput(nobody, "email");
  return { ...(email && { email }), ...(userRef && { userRef }) };
}

/** Asks for the ground, and for the address or the reference to be typed. */
function EraseDialog({ found: { person, items }, onClose }: { readonly found: Found; readonly onClose: () => void }) {
  const texts = useTexts("privacy");
  const navigate = useNavigate();
  const sendOnce = useSendOnce();
  const refresh = useRefresh();
  const wanted = nameOf(person);
  const erase = async (values: FormValues) => {
    if (values.text("typed").trim().toLowerCase() !== wanted.toLowerCase()) throw wrongInput(texts.typedWrong, "typed");
    const { id } = await sendOnce<PersonErasure>("/v1/privacy/erasures", { ...person, ground: values.text("ground") });
    navigate(`/privacy/erasures/${id}`);
    await refresh();
  };
  return (
    <Dialog title={texts.eraseTitle} isOpen onClose={onClose}>
      <p>{texts.eraseText(nameOf(person))}</p>
      <OutcomeTiles counts={countOf(items)} isAhead />
      <Form kind="danger" submit={texts.eraseAction} onSubmit={erase} onCancel={onClose}>
        <Select
          name="ground"
          label={texts.ground}
          options={[...texts.eraseGrounds].map(([id, label]) => ({ id, label }))}
          defaultValue="GDPR_17"
        />
        <TextField name="typed" label={texts.typeToErase} hint={<code>{wanted}</code>} autoComplete="off" isRequired />
      </Form>
    </Dialog>
  );
}
