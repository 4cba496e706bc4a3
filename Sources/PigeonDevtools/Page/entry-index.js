// Which entries are shown, and in which order: a tree by path, filters, and their counts.

/** The filters of the chips, by name. */
export const flags = {
	stale: (row) => row.state === "stale",
	fetching: (row) => row.activity === "fetching",
	failed: (row) => row.state === "failed" || row.error !== null,
	observed: (row) => row.observers > 0,
	optimistic: (row) => row.isOptimistic,
	tagged: (row) => row.tags.length > 0,
	faulty: (row) => row.fault !== null,
};
const flagNames = Object.keys(flags);

/** Values by which rows are sorted, other than the key. Rows without one come last. */
const sortValues = {
	state: (row) => ["failed", "stale", "fresh", "empty"].indexOf(row.state) * 4 + (row.activity === "idle" ? 1 : 0),
	age: (row) => (row.updatedAt === null ? null : -row.updatedAt),
	observers: (row) => -row.observers,
	size: (row) => (row.bytes === null ? null : -row.bytes),
	next: (row) => row.next?.at ?? null,
};

/** A group of at most this many entries is open until somebody closes it. */
const openLimit = 24;

/** A text whose order is that of the tree: parents first, numbers by value. */
export function sortKey(path) {
	return path.map((part) => `${part.replace(/\d+/g, (digits) => digits.padStart(16, "0"))}\u0001${part}`).join("\u0000");
}

/** Splits a search into words, all of which must match. `tag:` and `type:` look only there. */
export function parseSearch(text) {
	return text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
		const [, field, value] = word.match(/^(tag|type):(.+)$/) ?? [null, null, word];
		return { field, value };
	});
}

/**
 * Keeps entries in the order of the tree, and makes the list that is shown.
 *
 * Changes of rows are taken at once, and cost little. The list is made anew by `rebuild`, which is a generator, so that
 * 100,000 entries do not hold up the page.
 */
export class EntryIndex {
	isTree = true;
	sort = { by: "key", isDown: false };
	words = [];
	chips = new Set();
	/** What is shown: entries (with `row`) and groups (with `group`). */
	items = [];
	shownCount = 0;
	needsRebuild = false;
	entries = new Map();
	byKey = new Map();
	order = [];
	added = [];
	counts = Object.fromEntries(flagNames.map((name) => [name, 0]));
	/** What somebody opened or closed, by the path of the group. */
	choices = new Map();

	clear() {
		for (const entry of this.entries.values()) entry.isGone = true;
		this.entries.clear();
		this.byKey.clear();
		this.order = [];
		this.added = [];
		this.counts = Object.fromEntries(flagNames.map((name) => [name, 0]));
		this.needsRebuild = true;
	}

	set(row) {
		const entry = this.entries.get(row.id);
		if (entry && entry.row.key === row.key) return this.change(entry, row);
		if (entry) this.remove(row.id);
		const fresh = { row, bits: 0, order: sortKey(row.path), text: row.key.toLowerCase(), isShown: false, isGone: false };
		this.entries.set(row.id, fresh);
		this.byKey.set(row.key, fresh);
		this.added.push(fresh);
		this.count(fresh, this.bits(row));
		this.needsRebuild = true;
	}

	change(entry, row) {
		const before = entry.row;
		const bits = entry.bits;
		entry.row = row;
		this.count(entry, this.bits(row));
		const by = sortValues[this.sort.by];
		const isMoved = !this.isTree && by && by(before) !== by(row);
		// Groups count what is in them.
		const isCounted = this.isTree && bits !== entry.bits;
		if (isMoved || isCounted || this.matches(entry) !== entry.isShown) this.needsRebuild = true;
	}

	remove(id) {
		const entry = this.entries.get(id);
		if (!entry) return;
		entry.isGone = true;
		this.count(entry, 0);
		this.entries.delete(id);
		// A new entry of the same key can come before the old one goes.
		if (this.byKey.get(entry.row.key) === entry) this.byKey.delete(entry.row.key);
		this.needsRebuild = true;
	}

	row(key) {
		return this.byKey.get(key)?.row ?? null;
	}

	bits(row) {
		let bits = 0;
		flagNames.forEach((name, index) => { if (flags[name](row)) bits |= 1 << index; });
		return bits;
	}

	count(entry, bits) {
		const changed = entry.bits ^ bits;
		if (changed === 0) return;
		flagNames.forEach((name, index) => {
			if (changed & (1 << index)) this.counts[name] += bits & (1 << index) ? 1 : -1;
		});
		entry.bits = bits;
	}

	matches(entry) {
		for (const name of this.chips) if (!flags[name](entry.row)) return false;
		return this.words.every(({ field, value }) => {
			if (field === "tag") return entry.row.tags.some((tag) => tag.toLowerCase().includes(value));
			if (field === "type") return entry.row.type.toLowerCase().includes(value);
			return entry.text.includes(value);
		});
	}

	get isFiltered() {
		return this.words.length > 0 || this.chips.size > 0;
	}

	search(text) {
		this.words = parseSearch(text);
		this.needsRebuild = true;
	}

	setChip(name, isOn) {
		if (isOn) this.chips.add(name);
		else this.chips.delete(name);
		this.needsRebuild = true;
	}

	setOpen(group, isOpen) {
		this.choices.set(group, isOpen);
		this.needsRebuild = true;
	}

	/** Makes the list. Each step is short; rows may change between steps. */
	*rebuild() {
		this.needsRebuild = false;
		yield* this.mergeAdded();
		const shown = [];
		for (let index = 0; index < this.order.length; index++) {
			const entry = this.order[index];
			entry.isShown = !entry.isGone && this.matches(entry);
			if (entry.isShown) shown.push(entry);
			if (index % 2000 === 1999) yield;
		}
		const items = this.isTree ? yield* this.flatten(shown) : yield* this.sorted(shown);
		this.items = items;
		this.shownCount = shown.length;
	}

	*mergeAdded() {
		const added = yield* sortInSteps(this.added.splice(0), byOrder);
		const before = this.order;
		const merged = yield* merge(before.filter((entry) => !entry.isGone), added, byOrder);
		// A `clear` in between wins.
		if (this.order === before) this.order = merged;
	}

	*sorted(shown) {
		const by = sortValues[this.sort.by];
		const { isDown } = this.sort;
		if (!by) return isDown ? shown.reverse() : shown;
		const decorated = shown.map((entry) => ({ entry, value: by(entry.row) }));
		yield;
		const sorted = yield* sortInSteps(decorated, (a, b) => {
			if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
			return isDown ? b.value - a.value : a.value - b.value;
		});
		return sorted.map(({ entry }) => entry);
	}

	/** Puts groups before what is in them. A closed group drops what was put after it. */
	*flatten(shown) {
		const items = [];
		const stack = [];
		const close = (depth) => {
			while (stack.length > depth) {
				const group = stack.pop();
				const choice = this.choices.get(group.group);
				group.isOpen = choice ?? (this.isFiltered || group.count <= openLimit || shown.length <= openLimit * 2);
				if (!group.isOpen) items.length = group.place + 1;
				// A group of one entry says no more than the entry does.
				if (group.count === 1 && items.length === group.place + 2) {
					const only = items.pop();
					only.depth = group.depth;
					items[group.place] = only;
				}
			}
		};
		for (let index = 0; index < shown.length; index++) {
			const entry = shown[index];
			const { path } = entry.row;
			const common = commonLength(path, stack);
			close(common);
			const isParent = isPrefix(path, shown[index + 1]?.row.path);
			for (let depth = common; depth < path.length - (isParent ? 0 : 1); depth++) {
				const isSelf = isParent && depth === path.length - 1;
				const group = { group: path.slice(0, depth + 1).map(escaped).join("/"), label: path[depth], depth, count: 0, fetching: 0,
					failed: 0, stale: 0, entry: isSelf ? entry : null, place: items.length, isOpen: true };
				items.push(group);
				stack.push(group);
			}
			for (const group of stack) add(entry.row, group);
			if (!isParent) {
				entry.depth = path.length - 1;
				items.push(entry);
			}
			if (index % 2000 === 1999) yield;
		}
		close(0);
		return items;
	}
}

function add(row, group) {
	group.count += 1;
	if (row.activity === "fetching") group.fetching += 1;
	if (row.state === "failed") group.failed += 1;
	else if (row.state === "stale") group.stale += 1;
}

const byOrder = (a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0);

function commonLength(path, stack) {
	let depth = 0;
	while (depth < stack.length && depth < path.length && stack[depth].label === path[depth]) depth += 1;
	return depth;
}

function isPrefix(path, longer) {
	return longer !== undefined && longer.length > path.length && path.every((part, depth) => part === longer[depth]);
}

/** A stable merge sort that pauses, since sorting 100,000 entries at once takes too long. */
export function* sortInSteps(items, compare) {
	const block = 512;
	let from = [];
	for (let start = 0; start < items.length; start += block) {
		from.push(items.slice(start, start + block).sort(compare));
		if (start % (block * 4) === 0) yield;
	}
	while (from.length > 1) {
		const merged = [];
		for (let index = 0; index < from.length; index += 2) {
			merged.push(index + 1 < from.length ? yield* merge(from[index], from[index + 1], compare) : from[index]);
		}
		from = merged;
	}
	return from[0] ?? [];
}

function* merge(left, right, compare) {
	const merged = [];
	let a = 0;
	let b = 0;
	while (a < left.length && b < right.length) {
		merged.push(compare(left[a], right[b]) <= 0 ? left[a++] : right[b++]);
		if (merged.length % 4000 === 0) yield;
	}
	return merged.concat(left.slice(a), right.slice(b));
}

/** A component of a key, as it is in the text of the key. */
const escaped = (component) => component.replaceAll("%", "%25").replaceAll("/", "%2F");
