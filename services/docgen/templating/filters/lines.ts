/** A text whose line ends are to be shown. */
export class Lines {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const isLines = (value: unknown): value is Lines => value instanceof Lines;
