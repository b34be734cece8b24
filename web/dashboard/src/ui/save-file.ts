/** Hands the person a file, as if a link to it had been followed. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by then; the bytes need not be held any longer.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
