// Values as trees, and what changed between two of them.

import { button, el, setAttribute, setClass, setText, whole } from "./dom.js";

const texts = new WeakMap();

/** A text that is equal for equal nodes. */
function signature(node) {
	let text = texts.get(node);
	if (text === undefined) {
		text = JSON.stringify([node.type, node.text, node.count, node.children?.map((child) => [child.name, signature(child)])]);
		texts.set(node, text);
	}
	return text;
}

/**
 * Compares two nodes. The result has the nodes of both: `mark` is "added", "removed", "changed", "inside" (something
 * below changed) or null, and `before` the earlier text of a changed leaf.
 */
export function diff(before, after) {
	if (!before) return plain(after);
	if (signature(before) === signature(after)) return plain(after);
	if (!before.children || !after.children || before.type !== after.type) {
		return { ...plain(after), mark: "changed", before: summary(before) };
	}
	const children = isNamed(before.children) && isNamed(after.children)
		? diffNamed(before.children, after.children) : diffListed(before.children, after.children);
	// A count that differs is all there is to see where children were left out.
	const isMarked = children.some((child) => child.mark);
	return { node: after, children, mark: isMarked ? "inside" : "changed", before: isMarked ? null : summary(before) };
}

export function plain(node, mark = null) {
	return { node, mark, before: null, children: node.children?.map((child) => plain(child, mark)) ?? null };
}

function isNamed(children) {
	const names = new Set(children.map((child) => child.name));
	return names.size === children.length && children.every(({ name }) => name !== null && !/^\[?\d+\]?$/.test(name));
}

function diffNamed(before, after) {
	const old = new Map(before.map((child) => [child.name, child]));
	const now = new Set(after.map((child) => child.name));
	const children = after.map((child) => (old.has(child.name) ? diff(old.get(child.name), child) : plain(child, "added")));
	const removed = before.filter((child) => !now.has(child.name)).map((child) => plain(child, "removed"));
	return [...children, ...removed];
}

/** Elements of lists have no names. Those at the front and the back that are equal stay; those between are compared. */
function diffListed(before, after) {
	const shortest = Math.min(before.length, after.length);
	const same = (a, b) => signature(before[a]) === signature(after[b]);
	let front = 0;
	while (front < shortest && same(front, front)) front += 1;
	let back = 0;
	while (back < shortest - front && same(before.length - 1 - back, after.length - 1 - back)) back += 1;
	const oldMiddle = before.slice(front, before.length - back);
	const newMiddle = after.slice(front, after.length - back);
	const middle = oldMiddle.length === newMiddle.length
		? newMiddle.map((child, index) => diff(oldMiddle[index], child)) : diffMoved(oldMiddle, newMiddle);
	return [
		...after.slice(0, front).map((child) => plain(child)), ...middle,
		...after.slice(after.length - back).map((child) => plain(child)),
	];
}

function diffMoved(before, after) {
	const left = new Map();
	for (const child of before) left.set(signature(child), (left.get(signature(child)) ?? 0) + 1);
	const added = after.map((child) => {
		const count = left.get(signature(child)) ?? 0;
		if (count === 0) return plain(child, "added");
		left.set(signature(child), count - 1);
		return plain(child);
	});
	const removed = before.filter((child) => {
		const count = left.get(signature(child));
		if (count > 0) left.set(signature(child), count - 1);
		return count > 0;
	});
	return [...added, ...removed.map((child) => plain(child, "removed"))];
}

/** A node in one line. */
export function summary(node, limit = 72) {
	if (node.text !== null && node.text !== undefined) return node.text;
	const parts = [];
	let length = 0;
	for (const child of node.children ?? []) {
		const text = child.text ?? (child.children?.length ? "…" : child.type);
		const part = child.name ? `${child.name}: ${text}` : text;
		length += part.length + 2;
		if (length > limit) {
			parts.push("…");
			break;
		}
		parts.push(part);
	}
	return parts.length > 0 ? parts.join(", ") : node.type;
}

const step = 100;

/** Shows a value as a tree that opens and closes. What was opened stays open when the value changes. */
export class ValueTree {
	opened = new Map();
	limits = new Map();
	lines = [];
	elements = [];
	active = 0;

	constructor(label) {
		this.id = `tree-${Math.random().toString(36).slice(2, 8)}`;
		this.element = el("div.tree", { role: "tree", tabindex: "0", "aria-label": label });
		this.element.addEventListener("click", (event) => this.clicked(event));
		this.element.addEventListener("keydown", (event) => this.keyDown(event));
	}

	/** Takes the result of `diff` or `plain`. */
	set(root) {
		this.root = root;
		this.draw();
	}

	draw() {
		this.lines = [];
		this.addLines(this.root, "", 0, true);
		this.active = Math.min(this.active, this.lines.length - 1);
		this.lines.forEach((line, index) => this.drawLine(line, index));
		while (this.elements.length > this.lines.length) this.elements.pop().remove();
		setAttribute(this.element, "aria-activedescendant", this.elements[this.active]?.id ?? null);
	}

	addLines(item, path, depth, opensFirst) {
		const { node, children, mark } = item;
		const isParent = Boolean(children?.length);
		const opens = opensFirst && (depth === 0 || mark === "inside" || (depth < 2 && children?.length <= 8));
		const isOpen = isParent && (this.opened.get(path) ?? opens);
		this.lines.push({ item, path, depth, isParent, isOpen, name: node.name });
		if (!isOpen) return;
		const limit = this.limits.get(path) ?? step;
		children.slice(0, limit).forEach((child, index) => {
			this.addLines(child, `${path}/${child.node.name ?? index}`, depth + 1, opensFirst);
		});
		const left = children.length - limit;
		const omitted = (node.count ?? 0) - children.length;
		if (left > 0) this.lines.push({ more: path, depth: depth + 1, text: `Show ${whole(Math.min(step, left))} more of ${whole(left)}` });
		else if (omitted > 0) this.lines.push({ depth: depth + 1, text: `${whole(omitted)} more are not sent` });
	}

	drawLine(line, index) {
		let element = this.elements[index];
		if (!element) {
			element = el("div", { role: "treeitem", id: `${this.id}-${index}` },
				el("span.mark"), el("span.twist", { "aria-hidden": "true" }),
				el("span.name"), el("span.text"), el("s.before"));
			this.elements.push(element);
			this.element.append(element);
		}
		element.index = index;
		const [mark, twist, name, text, before] = element.children;
		const { item } = line;
		element.style.paddingLeft = `${line.depth * 16 + 4}px`;
		setAttribute(element, "aria-level", line.depth + 1);
		setAttribute(element, "aria-expanded", line.isParent ? String(line.isOpen) : null);
		setAttribute(element, "aria-selected", String(index === this.active));
		setClass(element, `line ${item?.mark ?? ""} ${line.more !== undefined ? "more" : ""} ${index === this.active ? "active" : ""}`);
		setText(mark, { added: "+", removed: "−", changed: "~" }[item?.mark] ?? "");
		setAttribute(mark, "title", item?.mark ?? null);
		setText(twist, line.isParent ? (line.isOpen ? "▾" : "▸") : "");
		setText(name, item?.node.name ?? "");
		setText(text, item ? lineText(line) : line.text);
		setClass(text, `text ${item ? kindOf(item.node) : "note"}`);
		setText(before, item?.before ?? "");
	}

	clicked(event) {
		const element = event.target.closest("[role=treeitem]");
		if (!element || String(getSelection()).length > 0) return;
		this.active = element.index;
		this.toggle(this.lines[element.index]);
	}

	toggle(line) {
		if (line.more !== undefined) this.limits.set(line.more, (this.limits.get(line.more) ?? step) + step);
		else if (line.isParent) this.opened.set(line.path, !line.isOpen);
		this.draw();
	}

	keyDown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey) return;
		const line = this.lines[this.active];
		const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
		if (event.key in moves) this.move(this.active + moves[event.key]);
		else if (event.key === "Enter" || event.key === " ") this.toggle(line);
		else if (event.key === "ArrowRight" && line.isParent && !line.isOpen) this.toggle(line);
		else if (event.key === "ArrowRight") this.move(this.active + 1);
		else if (event.key === "ArrowLeft" && line.isOpen) this.toggle(line);
		else if (event.key === "ArrowLeft") this.move(this.parent(this.active));
		else return;
		event.preventDefault();
		event.stopPropagation();
	}

	parent(index) {
		const { depth } = this.lines[index];
		for (let above = index - 1; above >= 0; above--) if (this.lines[above].depth < depth) return above;
		return index;
	}

	move(index) {
		this.active = Math.min(this.lines.length - 1, Math.max(0, index));
		this.draw();
		this.elements[this.active]?.scrollIntoView({ block: "nearest" });
	}
}

function lineText({ item, isParent, isOpen }) {
	const { node } = item;
	if (node.text !== null && node.text !== undefined) return node.text;
	const count = node.count ?? node.children?.length ?? 0;
	if (isOpen) return node.type;
	if (!isParent) return count > 0 ? `${node.type} with ${whole(count)}, not sent` : `${node.type}, empty`;
	return `${node.type} (${summary(node)})`;
}

function kindOf({ text, type }) {
	if (text === null || text === undefined) return "type";
	if (text.startsWith("\"") || type === "String") return "string";
	if (text === "nil") return "nil";
	return /^(-?[\d.]|true$|false$)/.test(text) ? "number" : "other";
}

/** A button that copies a text, and says so. */
export function copyButton(title, text, props) {
	const element = button(title, () => {
		// Pages without a secure origin have no clipboard.
		const copied = navigator.clipboard?.writeText(text()) ?? Promise.reject();
		copied.then(() => "Copied", () => "Could not copy").then((answer) => setText(element, answer));
		setTimeout(() => setText(element, title), 1500);
	}, props);
	return element;
}
