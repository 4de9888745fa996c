import { limits } from '../limits.ts';

export function hasRoomForPage(pageCount: number): boolean {
  return pageCount < limits.maxPagesPerNotebook;
}

/** Whether the order names every page of the notebook exactly once. */
export function isPageOrder(order: readonly string[], pageIds: readonly string[]): boolean {
  const asked = new Set(order);
  return order.length === pageIds.length && asked.size === order.length && pageIds.every(id => asked.has(id));
}
