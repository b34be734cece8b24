import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { PersonExport } from "#api/exports.ts";
import type { PersonalItem, PersonErasure } from "#api/person-erasures.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { Link, useNavigate } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { NumberTiles, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { isConsentReceipt, useReceipt } from "../acceptances/queries.ts";
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

const lower = { ERASED: "erased", RESTRICTED: "restricted", KEPT: "kept" } as const;
const tones = { ERASED: "success", RESTRICTED: "warning", KEPT: "danger" } as const;
const outcomes = ["erased", "restricted", "kept"] as const;

interface ItemsProps {
  readonly items: readonly PersonalItem[];
  /** Nothing has happened yet: it says what would. */
  readonly isAhead: boolean;
}

/** How much of it goes, is restricted, and stays. */
export function OutcomeTiles({ counts, isAhead }: { readonly counts: Counts; readonly isAhead: boolean }) {
  const texts = useTexts("privacy");
  const numbers = new Intl.NumberFormat(useLanguage().locale);
  const names = isAhead ? texts.outcomesAhead : texts.outcomes;
  return <NumberTiles tiles={outcomes.map((one) => ({ name: names[one], value: numbers.format(counts[one]) }))} />;
}

type Counts = Readonly<Record<(typeof outcomes)[number], number>>;

const countOf = (items: readonly PersonalItem[]): Counts => {
  const count = (wanted: PersonalItem["outcome"]) => items.filter(({ outcome }) => outcome === wanted).length;
  return { erased: count("ERASED"), restricted: count("RESTRICTED"), kept: count("KEPT") };
};

/** What is known of a person, and what becomes of it. */
export function ItemsTable({ items, isAhead }: ItemsProps) {
  const texts = useTexts("privacy");
  const acceptances = items.filter(({ kind }) => kind === "click.receipt").slice(0, mostNamed);
  const columns: readonly Column<PersonalItem>[] = [
    {
      id: "what",
      title: texts.what,
      width: "broad",
      cell: (item) => (
        <What item={item}>{acceptances.includes(item) && <AcceptedText receiptId={item.targetId} />}</What>
      ),
    },
    { id: "where", title: texts.whereItem, width: "short", cell: (item) => <Where item={item} /> },
    {
      id: "outcome",
      title: isAhead ? texts.outcomeAhead : texts.outcome,
      width: "broad",
      cell: (item) => <Outcome item={item} isAhead={isAhead} />,
    },
  ];
  return (
    <Table
      label={texts.whatWeHave}
      columns={columns}
      rows={items}
      rowKey={({ kind, targetId, name }) => `${kind} ${targetId} ${name}`}
      empty={null}
    />
  );
}

/** Each is a request of its own. */
const mostNamed = 20;

/** Which text an acceptance is of; nothing until that is known. */
function AcceptedText({ receiptId }: { readonly receiptId: string }) {
  const texts = useTexts("acceptances");
  const { data: receipt } = useReceipt(receiptId);
  if (receipt === undefined || isConsentReceipt(receipt)) return null;
  const { templateName, templateSlug, versionLabel, locale } = receipt;
  return <small>{`${templateName || templateSlug} · ${texts.version(versionLabel, locale)}`}</small>;
}

interface WhatProps {
  readonly item: PersonalItem;
  readonly children: ReactNode;
}

function What({ item: { kind, name, count }, children }: WhatProps) {
  const texts = useTexts("privacy");
  return (
    <span className="stacked">
      <span>{texts.kinds[kind]}</span>
      {(name || count > 1) && (
        <small>
          {[name && (texts.textNames.get(name) ?? name), count > 1 && texts.times(count)].filter(Boolean).join(" · ")}
        </small>
      )}
      {children}
    </span>
  );
}

/** Of what a person can look at in the dashboard, a link to it. */
function Where({ item: { kind, targetId } }: { readonly item: PersonalItem }) {
  const page = pages.find(([start]) => kind.startsWith(start))?.[1];
  return page === undefined ? <code>{targetId}</code> : <Link to={`${page}/${targetId}`}>{targetId}</Link>;
}

const pages = [
  ["agreement.", "/agreements"],
  ["click.receipt", "/acceptances/receipts"],
] as const;

function Outcome({
  item: { outcome, keptBecause, keptUntil },
  isAhead,
}: {
  readonly item: PersonalItem;
  readonly isAhead: boolean;
}) {
  const texts = useTexts("privacy");
  const names = isAhead ? texts.outcomesAhead : texts.outcomes;
  const name = names[lower[outcome]];
  return (
    <span className="stacked">
      <span>
        <Badge tone={isAhead ? "info" : tones[outcome]}>{name}</Badge>
      </span>
      {keptBecause !== null && <small>{texts.reasons[keptBecause]}</small>}
      {keptUntil !== null && (
        <small>
          {texts.until} <Time value={keptUntil} />
        </small>
      )}
    </span>
  );
}
