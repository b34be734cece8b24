import { type ReactNode, useEffect, useRef } from "react";
import "./access.css";

/**
 * What a form of a dialog has led to, in its place. It takes the focus, so that it is read out, and so that the key
 * that sent the form does not press the next button as well.
 */
export function Revealed({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <div ref={place} tabIndex={-1} className="revealed">
      {children}
    </div>
  );
}
