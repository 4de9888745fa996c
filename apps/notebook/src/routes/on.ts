import type {
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify';
import type { Call } from '../api/call.ts';

type Options<Route extends RouteGenericInterface> = RouteShorthandOptions<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Route
>;
/** Answers one kind of request, at one or more addresses. */
export type Handler<Route extends RouteGenericInterface> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Route
>;

/**
 * Answers an API call at its method and address.
 * @param names of the parameters in the address, such as `:slug`
 */
export function on<Route extends RouteGenericInterface, Names extends readonly string[] = readonly string[]>(
  app: FastifyInstance,
  call: Call<Names>,
  names: Names,
  options: Options<Route>,
  handler: Handler<Route>,
): void {
  app.route<Route>({ ...options, method: call.method, url: call.path(...names), handler });
}
