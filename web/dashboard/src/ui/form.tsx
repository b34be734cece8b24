import { type FormEvent, type MouseEvent, type PointerEvent, type ReactNode, type RefObject, useRef } from "react";
import {
  Checkbox as AriaCheckbox,
  CheckboxGroup as AriaCheckboxGroup,
  type CheckboxGroupProps as AriaCheckboxGroupProps,
  type CheckboxProps as AriaCheckboxProps,
  Form as AriaForm,
  RadioGroup as AriaRadioGroup,
  type RadioGroupProps as AriaRadioGroupProps,
  Switch as AriaSwitch,
  type SwitchProps as AriaSwitchProps,
  FieldError,
  Label,
  Radio,
  Text,
} from "react-aria-components";
import { ApiError, type FieldProblem } from "../api/errors.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button, Icon } from "./button.tsx";
import { ErrorNotice } from "./states.tsx";
import { useAction } from "./use-action.ts";
import { useLeaveGuard } from "./use-leave-guard.tsx";
import "./form.css";
import "./field.css";
import "./radio-group.css";
import type { Option } from "./text-field.tsx";

/** What was filled in, by the names of the fields. */
export interface FormValues {
  /** Empty when there is no such field. */
  text(name: string): string;
  list(name: string): string[];
  isOn(name: string): boolean;
}

interface FormProps {
  readonly onSubmit: (values: FormValues) => Promise<unknown>;
  /** The words on the button. */
  readonly submit: string;
  readonly kind?: "primary" | "danger";
  readonly onCancel?: () => void;
  /** Not of forms that look for something and change nothing, or that have a guard of their own. */
  readonly asksBeforeLeaving?: boolean;
  /** Beside the buttons. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/**
 * Sends what its fields hold, once at a time. What the API finds wrong is shown at the fields with these names, and
 * below them what belongs to none; nothing that was filled in is lost by it. It goes with the first change, and what the
 * browser finds wrong as soon as it is right: if they went, or came, when the field loses the focus, the button would
 * move away under the pointer that presses it, and the press be lost.
 */
export function Form({
  onSubmit,
  submit,
  kind = "primary",
  onCancel,
  asksBeforeLeaving = true,
  aside,
  children,
}: FormProps) {
  const { cancel } = useTexts("common");
  const { byField } = useTexts("errors");
  const form = useRef<HTMLFormElement>(null);
  const { run, isBusy, error, clear } = useAction(onSubmit);
  const noteFilled = useUnsent(form, asksBeforeLeaving, onCancel);
  const { fields, rest } = sortProblems(
    inWords(error, byField),
    (name) => form.current?.elements.namedItem(name) != null,
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    void run(valuesOf(values)).then((isSent) => isSent && noteFilled(spelled(values)));
  };
  const lookAgain = ({ target }: FormEvent<HTMLElement>) => {
    clear();
    const isShownWrong = target instanceof HTMLElement && target.ariaInvalid === "true";
    // Fields look at themselves again with this one, which the browser sends no earlier than when they lose the focus.
    if (isShownWrong) target.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const pointer = useRef("");
  const noteKind = ({ pointerType }: PointerEvent) => {
    pointer.current = pointerType;
  };
  // The mouse leaves the focus where it is; a finger takes it, so that the keyboard on the screen goes.
  const keepFocus = (event: MouseEvent) => {
    if (pointer.current === "mouse") event.preventDefault();
  };
  return (
    <AriaForm ref={form} className="form" onSubmit={send} validationErrors={fields}>
      <div
        className="form-fields"
        onInput={lookAgain}
        onFocusCapture={() => noteFilled()}
        onPointerDownCapture={() => noteFilled()}
      >
        {children}
      </div>
      {rest !== undefined && <ErrorNotice error={rest} />}
      <div className="form-buttons" onPointerDownCapture={noteKind} onMouseDownCapture={keepFocus}>
        <Button type="submit" kind={kind} isBusy={isBusy}>
          {submit}
        </Button>
        {onCancel && (
          <Button onPress={onCancel} isDisabled={isBusy}>
            {cancel}
          </Button>
        )}
        {aside}
      </div>
    </AriaForm>
  );
}

/**
 * Asks before what was filled in and not sent is left; before signing in there is nothing to lose. What it returns notes
 * what was in the fields before the person began, or what has been sent.
 */
function useUnsent(
  form: RefObject<HTMLFormElement | null>,
  isAsking: boolean,
  onCancel: (() => void) | undefined,
): (sent?: string) => void {
  const before = useRef<string>(undefined);
  const now = (): string | undefined =>
    form.current === null || form.current.closest(".entry") !== null ? undefined : spelled(new FormData(form.current));
  useLeaveGuard(
    () => isAsking && before.current !== undefined && now() !== before.current,
    () => {
      before.current = undefined;
      // A dialog may belong to a page that stays, with another filter or tab.
      if (form.current?.closest("[role=dialog]") != null) onCancel?.();
    },
  );
  return (sent) => {
    before.current = sent ?? before.current ?? now();
  };
}

/** Files by what is known of them. */
const spelled = (data: FormData): string =>
  JSON.stringify(
    [...data].map(([name, value]) => [name, typeof value === "string" ? value : [value.name, value.size]]),
  );

const valuesOf = (data: FormData): FormValues => ({
  text: (name) => String(data.get(name) ?? ""),
  list: (name) => data.getAll(name).map(String),
  isOn: (name) => data.has(name),
});

/** The same error, whose problems have our words as far as there are any. */
function inWords(error: unknown, words: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof ApiError)) return error;
  const details = error.details.map((one) => ({ ...one, message: wordsOf(one, words) ?? one.message }));
  return new ApiError({ ...partsOf(error), details });
}

/** Some codes mean something of their own at one field. */
export const wordsOf = (problem: FieldProblem, words: ReadonlyMap<string, string>): string | undefined =>
  words.get(`${namesIn(problem).at(-1)} ${problem.code}`) ?? words.get(problem.code);

/** What can be shown at fields, and the error with what is left of it. */
function sortProblems(
  error: unknown,
  isField: (name: string) => boolean,
): { readonly fields: Record<string, string>; readonly rest: unknown } {
  if (!(error instanceof ApiError)) return { fields: {}, rest: error };
  const placed = error.details.map((problem) => ({ problem, name: namesIn(problem).find(isField) }));
  const fields = Object.fromEntries(
    placed.flatMap(({ problem, name }) => (name === undefined ? [] : [[name, problem.message]])),
  );
  const details = placed.filter(({ name }) => name === undefined).map(({ problem }) => problem);
  const isAllPlaced = details.length === 0 && error.details.length > 0;
  return { fields, rest: isAllPlaced ? undefined : new ApiError({ ...partsOf(error), details }) };
}

/** "scopes[0]" and "body.scopes" are problems of the field "scopes". */
function namesIn({ field }: FieldProblem): string[] {
  const parts = field.split(/[./[\]]/).filter(Boolean);
  return [field, ...parts];
}

const partsOf = ({ status, code, message, requestId }: ApiError) => ({ status, code, message, requestId });

interface ChoicesProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly Option[];
}

/** What is inside a group of check boxes or radio buttons: its label, its choices and what is wrong with it. */
function Choices({ label, hint, options, choice }: ChoicesProps & { readonly choice: (option: Option) => ReactNode }) {
  return (
    <>
      <Label className="field-label">{label}</Label>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <div className="choices">{options.map(choice)}</div>
      <FieldError className="field-error" />
    </>
  );
}

/** The words of a choice, with its hint below. */
function ChoiceLabel({ label, hint }: Option) {
  return (
    <span>
      {label}
      {hint && <small>{hint}</small>}
    </span>
  );
}

interface CheckboxGroupProps extends ChoicesProps, Omit<AriaCheckboxGroupProps, "children" | "className" | "style"> {}

/** Any of several; with a name their ids are values of the form. */
export function CheckboxGroup({ label, hint, options, ...props }: CheckboxGroupProps) {
  return (
    <AriaCheckboxGroup {...props} className="field">
      <Choices
        label={label}
        hint={hint}
        options={options}
        choice={(option) => (
          <Checkbox key={option.id} value={option.id}>
            <ChoiceLabel {...option} />
          </Checkbox>
        )}
      />
    </AriaCheckboxGroup>
  );
}

interface RadioGroupProps extends ChoicesProps, Omit<AriaRadioGroupProps, "children" | "className" | "style"> {}

/** One of a few, all of which are seen at once; with a name its id is a value of the form. */
export function RadioGroup({ label, hint, options, ...props }: RadioGroupProps) {
  return (
    <AriaRadioGroup {...props} className="field">
      <Choices
        label={label}
        hint={hint}
        options={options}
        choice={(option) => (
          <Radio key={option.id} value={option.id} className="choice">
            <span className="radio-mark" />
            <ChoiceLabel {...option} />
          </Radio>
        )}
      />
    </AriaRadioGroup>
  );
}

interface SwitchProps extends Omit<AriaSwitchProps, "children" | "className" | "style"> {
  readonly children: ReactNode;
}

/** On or off; with a name its value ("on") is one of the form while it is on. */
export function Switch({ children, ...props }: SwitchProps) {
  return (
    <AriaSwitch {...props} className="switch">
      <span className="switch-track" />
      <span>{children}</span>
    </AriaSwitch>
  );
}

export interface CheckboxProps extends Omit<AriaCheckboxProps, "children" | "className" | "style"> {
  /** Without words beside it, it needs an aria-label. */
  readonly children?: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="choice">
      <span className="choice-mark">
        <Icon name="check" />
      </span>
      {children && <span>{children}</span>}
    </AriaCheckbox>
  );
}
