/**
 * A graph to be laid out, as numbers. It goes from the drawing frame to the page and on to a worker; the positions come back.
 * It contains no text from strangers, so the worker may be one of the page's own.
 */
export interface GraphToLayOut {
  readonly graph: Attributes;
  /** The order matters to the layout. `parent` is the index in this list of the group that contains the node. */
  readonly nodes: readonly { readonly attributes: Attributes; readonly parent: number | undefined }[];
  /** `from` and `to` are indexes in the list of nodes. */
  readonly edges: readonly { readonly from: number; readonly to: number; readonly attributes: Attributes }[];
}

/** Sizes and distances in pixels. Strings are only the few values that the layout knows (`rankdir`, `labelpos`). */
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
  /** Undefined when it took too long. */
  readonly laidOut: LaidOut | undefined;
}

/** A drawing with more bends than this is unreadable. */
export const mostPoints = 20_000;

export function readLayoutRequest(data: unknown): LayoutRequest | undefined {
  const { layout, graph } = (typeof data === 'object' && data !== null ? data : {}) as Partial<LayoutRequest>;
  return typeof layout === 'number' && typeof graph === 'object' ? { layout, graph } : undefined;
}
