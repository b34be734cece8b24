import { useEffect, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import "./notice.css";

const patienceMs = 500;

/** In the place of what is being loaded; shows nothing before it has taken half a second. */
export function Loading() {
  const { loading } = useTexts("common");
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="loading" role="status">
      {isLong && (
        <>
          <span className="spinner" aria-hidden="true" />
          {loading}
        </>
      )}
    </div>
  );
}
