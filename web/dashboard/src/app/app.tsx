import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Component, type ReactNode, Suspense, useEffect, useState } from "react";
import { leaveWithOthers } from "../api/begin-session.ts";
import { ApiError } from "../api/errors.ts";
import { NotFoundPage } from "../pages/not-found/not-found-page.tsx";
import { LanguageProvider } from "../texts/texts.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ClockProvider } from "../ui/time.tsx";
import { LeaveQuestion } from "../ui/use-leave-guard.tsx";
import { Layout } from "./layout.tsx";
import { matchPath, RouterProvider, useNavigate, usePath } from "./router.tsx";
import { isPublic, type PageParams, type Route, routes } from "./routes.tsx";
import { SessionGate, useSession } from "./session.tsx";
import { SignInAgain } from "./sign-in-again.tsx";

export function App() {
  const [queries] = useState(createQueries);
  useEffect(() => leaveWithOthers(queries), [queries]);
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider>
        <LanguageProvider>
          <ClockProvider>
            <LeaveQuestion>
              <CurrentPage />
            </LeaveQuestion>
          </ClockProvider>
        </LanguageProvider>
      </RouterProvider>
    </QueryClientProvider>
  );
}

function CurrentPage() {
  const path = usePath();
  const found = findRoute(path);
  if (found !== undefined && isPublic(found.route)) return <Shown key={path} {...found} />;
  return (
    <SessionGate otherwise={<ToLogin />}>
      <Layout>
        <Allowed key={path} found={found} />
      </Layout>
      <SignInAgain />
    </SessionGate>
  );
}

interface Found extends PageParams {
  readonly route: Route;
}

function Allowed({ found }: { readonly found: Found | undefined }) {
  const { can } = useSession();
  return found === undefined || !can(found.route.scope) ? <NotFoundPage /> : <Shown {...found} />;
}

function Shown({ route: { page: Page }, params }: Found) {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Loading />}>
        <Page params={params} />
      </Suspense>
    </ErrorBoundary>
  );
}

/** And back afterwards. */
function ToLogin() {
  const navigate = useNavigate();
  const path = usePath();
  useEffect(() => {
    const next = `${path}${window.location.search}`;
    navigate(next === "/" ? "/login" : `/login?${new URLSearchParams({ next })}`, { replace: true });
  }, [navigate, path]);
  return null;
}

function findRoute(path: string): Found | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // A request that the API has refused is not retried, since it would be refused again.
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      },
      mutations: { retry: false },
    },
  });

interface Props {
  readonly children: ReactNode;
}

/** Shows an error that a page threw, or that the page could not be loaded, in place of the page. */
class ErrorBoundary extends Component<Props, { readonly error: unknown; readonly hasFailed: boolean }> {
  override state = { error: undefined, hasFailed: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return <ErrorState error={this.state.error} retry={() => window.location.reload()} />;
  }
}
