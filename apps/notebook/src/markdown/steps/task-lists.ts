import type { Element } from 'hast';
import type { Parent } from '../tree.ts';

/** Adds GitHub's classes to task lists, and a name to each checkbox: otherwise a screen reader would say only "checkbox". */
export function markTask(node: Element, ancestors: readonly Parent[]): void {
  if (node.tagName !== 'input') return;
  node.properties.ariaLabel = 'checked' in node.properties ? 'Completed task' : 'Incomplete task';
  const path = [...ancestors].reverse();
  if (!isFirst(path[0], node)) return;
  const wrapped = path[0]?.type === 'element' && path[0].tagName === 'p';
  if (wrapped && !isFirst(path[1], path[0] as Element)) return;
  const [item, list] = wrapped ? path.slice(1) : path;
  if (item?.type !== 'element' || item.tagName !== 'li' || list?.type !== 'element') return;
  item.properties.className = ['task-list-item'];
  if (list.tagName === 'ul' || list.tagName === 'ol') list.properties.className = ['contains-task-list'];
}

function isFirst(parent: Parent | undefined, child: Element): boolean {
  return parent?.children.find(other => other.type !== 'text' || other.value.trim() !== '') === child;
}
