import { Component, type ReactNode } from "react";
import { ErrorState } from "../ui/error-state.tsx";

interface Props {
  readonly children: ReactNode;
}

/** Shows what a page threw, or that it could not be loaded, in the place of the page. */
export class ErrorBoundary extends Component<Props, { readonly error: unknown; readonly hasFailed: boolean }> {
  override state = { error: undefined, hasFailed: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return <ErrorState error={this.state.error} retry={() => window.location.reload()} />;
  }
}
