import type { Recipient } from "./types.ts";

/** What is carried over the pages right now, in pixels of the window. */
export interface Ghost {
  readonly words: string;
  readonly hue: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const hues = 6;

/** The color of a recipient; who it is stands in words, too. */
export const hueOf = ({ people }: { readonly people: readonly Recipient[] }, recipientId: string): number =>
  Math.max(
    0,
    people.findIndex((person) => person.recipientId === recipientId),
  ) % hues;
