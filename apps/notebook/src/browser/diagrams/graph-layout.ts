/**
 * A graph to be laid out, in numbers: it goes from the drawing frame to the page, from there to a worker, and its places come back.
 * Nothing in it is text of a stranger, so the worker may be one of the page's own.
 */
export interface GraphToLayOut {
  readonly graph: Attributes;
  /** In their order, which the layout depends on. `parent`: the place in this list of the group that it stands in. */
  readonly nodes: readonly { readonly attributes: Attributes; readonly parent: number | undefined }[];
  /** Places in the list of nodes. */
  readonly edges: readonly { readonly from: number; readonly to: number; readonly attributes: Attributes }[];
}

/** Sizes and distances in pixels; words only of the few that the layout knows (`rankdir`, `labelpos`). */
export type Attributes = Readonly<Record<string, number | string>>;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LaidOut {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly (Point & { readonly width: number; readonly height: number })[];
  readonly edges: readonly { readonly points: readonly Point[]; readonly label: Point | undefined }[];
}

/** The frame asks the page, and the page answers. */
export interface LayoutRequest {
  readonly layout: number;
  readonly graph: GraphToLayOut;
}

export interface LayoutAnswer {
  readonly layout: number;
  /** Undefined: it took too long. */
  readonly laidOut: LaidOut | undefined;
}

/** More bends than this are no picture any more. */
export const mostPoints = 20_000;

export function readLayoutRequest(data: unknown): LayoutRequest | undefined {
  const { layout, graph } = (typeof data === 'object' && data !== null ? data : {}) as Partial<LayoutRequest>;
  return typeof layout === 'number' && typeof graph === 'object' ? { layout, graph } : undefined;
}
