// Elements, texts of times and sizes, frames, and lists that draw only what is in view.

/** Makes an element, as in `el("p.note")`. `props` are attributes, except `text`, and `onclick` and its like, which are handlers. */
export function el(kind, props = {}, ...children) {
	const [tag, ...classes] = kind.split(".");
	const element = document.createElement(tag);
	if (classes.length > 0) element.className = classes.join(" ");
	for (const [name, value] of Object.entries(props)) {
		if (value === null || value === undefined || value === false) continue;
		if (name === "text") element.textContent = value;
		else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.flat().filter(Boolean));
	return element;
}

/** Sets a text only if it differs, since each change of a text node costs a layout. */
export function setText(element, text) {
	if (element.shownText === text) return;
	element.shownText = text;
	element.textContent = text;
}

/** Sets a class only if it differs. */
export function setClass(element, name) {
	if (element.className !== name) element.className = name;
}

export function setAttribute(element, name, value) {
	if (value === null || value === false) element.removeAttribute(name);
	else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

export function button(text, onclick, props = {}) {
	return el("button", { type: "button", text, onclick, ...props });
}

export function setPressed(element, isPressed) {
	setAttribute(element, "aria-pressed", String(isPressed));
}

/** A button that is on or off. */
export function toggle(text, isOn, onchange, props = {}) {
	const element = button(text, () => {
		setPressed(element, element.getAttribute("aria-pressed") !== "true");
		onchange(element.getAttribute("aria-pressed") === "true");
	}, { class: "toggle", ...props });
	setPressed(element, isOn);
	return element;
}

/** A filter that is on or off, with a count. */
export function chip(text, onchange, props = {}) {
	const element = toggle(`${text} `, false, onchange, { class: "chip", ...props });
	const count = el("span.count");
	element.append(count);
	element.setCount = (number) => setText(count, whole(number));
	return element;
}

export const mono = (text) => el("span.mono", { text });
export const note = (text) => el("span.note", { text });

/** Controls that belong together. */
export function group(label, name, ...children) {
	return el("div", { class: name, role: "group", "aria-label": label }, ...children);
}

/** Fills an element anew only if what it shows changed, so that the focus stays. Null shows nothing. */
export function renew(element, data, make) {
	const text = JSON.stringify(data);
	if (element.data === text) return false;
	element.data = text;
	element.replaceChildren(...(data === null ? [] : [make(data)].flat().filter(Boolean)));
	return true;
}

/** A heading and its content. */
export function section(title, ...children) {
	return el("section.part", { "aria-label": title }, el("h3", { text: title }), ...children);
}

/** Names with values, one below the other. Values are texts or elements. A pair that is false is left out. */
export function facts(pairs) {
	return el("dl.facts", {}, pairs.filter(Boolean).flatMap(([name, value]) => [
		el("dt", { text: name }), el("dd", {}, value instanceof Node ? value : String(value)),
	]));
}

export const hasAny = (set, ...items) => items.some((item) => set.has(item));

// Frames

const waiting = new Set();
let frame = 0;

/** Runs a function in the next frame, once, however often it is asked for. */
export function inNextFrame(work) {
	waiting.add(work);
	// A hidden page gets no frames, but what it holds must not pile up.
	frame ||= document.hidden ? setTimeout(runFrame, 250) : requestAnimationFrame(runFrame);
}

function runFrame() {
	frame = 0;
	const works = [...waiting];
	waiting.clear();
	for (const work of works) work();
}

/** Runs a generator in slices, so that the page stays responsive meanwhile. Returns a function that stops it. */
export function inSlices(generator, done) {
	let isStopped = false;
	const slice = () => {
		if (isStopped) return;
		// A hidden page has too few slices.
		const end = document.hidden ? Infinity : performance.now() + 8;
		do {
			if (generator.next().done) return done?.();
		} while (performance.now() < end);
		setTimeout(slice, 0);
	};
	slice();
	return () => { isStopped = true; };
}

// Texts

const wholeFormat = new Intl.NumberFormat("en");
export const whole = (number) => wholeFormat.format(number);

/** A length of time in its largest unit: "340 ms", "1.2 s", "12 s", "3 min". */
export function duration(ms) {
	if (ms < 0) return "0 s";
	if (ms < 1000) return `${ms < 10 && ms > 0 ? ms.toFixed(1) : Math.round(ms)} ms`;
	if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
	return span(ms);
}

/** A length of time without fractions, for texts that change with the clock. */
export function span(ms) {
	const s = Math.max(0, Math.round(ms / 1000));
	if (s < 100) return `${s} s`;
	if (s < 6000) return `${Math.round(s / 60)} min`;
	if (s < 172_800) return `${Math.round(s / 3600)} h`;
	return `${Math.round(s / 86_400)} d`;
}

export function bytes(count) {
	if (count === null || count === undefined) return "–";
	if (count < 1000) return `${count} B`;
	const [unit, size] = count < 1e6 ? ["KB", 1e3] : count < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
	const number = count / size;
	return `${number < 10 ? number.toFixed(1) : Math.round(number)} ${unit}`;
}

/** The time of day with milliseconds. */
export function clockTime(epoch) {
	const date = new Date(epoch);
	const two = (number) => String(number).padStart(2, "0");
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
		+ `.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

export function plural(count, one, many = `${one}s`) {
	return `${whole(count)} ${count === 1 ? one : many}`;
}

/** What tabs have in common: an element that has the focus, a search, and a selection. */
export class Tab {
	focus() {
		this.main.focus();
	}

	focusSearch() {
		this.search?.focus();
	}

	escape() {
		this.select?.(null);
		this.focus();
	}
}

// Lists

let rowNumber = 0;

/**
 * A list of rows of one height, of which only those in view are elements.
 *
 * The element with `role` gets the focus, and names its active row to screen readers.
 */
export class VirtualList {
	count = 0;
	active = -1;
	rows = new Map();
	spare = [];

	/** `create()` makes a row, `update(row, index)` fills it, `select(index)` and `open(index)` are told what happened. */
	constructor({ label, role = "grid", rowHeight = 26, header = null, create, update, select, open, keys }) {
		Object.assign(this, { rowHeight, create, update, select, open, keys });
		this.headerRows = header ? 1 : 0;
		this.space = el("div.space", { role: "presentation" });
		this.scroller = el("div.scroller", { tabindex: "-1", role: "rowgroup" }, this.space);
		this.element = el("div.list", { role, tabindex: "0", "aria-label": label }, header, this.scroller);
		this.draw = this.draw.bind(this);
		this.scroller.addEventListener("scroll", () => inNextFrame(this.draw), { passive: true });
		this.element.addEventListener("keydown", (event) => this.keyDown(event));
		this.scroller.addEventListener("click", (event) => this.clicked(event));
		new ResizeObserver(() => inNextFrame(this.draw)).observe(this.scroller);
	}

	/** Takes a new number of rows and draws. */
	setCount(count) {
		if (this.count !== count) {
			this.count = count;
			this.space.style.height = `${count * this.rowHeight}px`;
			setAttribute(this.element, "aria-rowcount", count + this.headerRows);
		}
		if (this.active >= count) this.active = count - 1;
		inNextFrame(this.draw);
	}

	draw() {
		const height = this.scroller.clientHeight;
		if (height === 0) return;
		const top = this.scroller.scrollTop;
		const first = Math.max(0, Math.floor(top / this.rowHeight) - 4);
		const end = Math.min(this.count, Math.ceil((top + height) / this.rowHeight) + 4);
		for (const [index, row] of this.rows) {
			if (index >= first && index < end) continue;
			this.rows.delete(index);
			this.spare.push(row);
		}
		for (let index = first; index < end; index++) this.drawRow(index);
		for (const row of this.spare) row.hidden = true;
		setAttribute(this.element, "aria-activedescendant",
			this.rows.has(this.active) ? this.rows.get(this.active).id : null);
	}

	drawRow(index) {
		let row = this.rows.get(index);
		if (!row) {
			row = this.spare.pop() ?? this.newRow();
			row.hidden = false;
			row.index = index;
			row.style.transform = `translateY(${index * this.rowHeight}px)`;
			row.setAttribute("aria-rowindex", index + 1 + this.headerRows);
			this.rows.set(index, row);
		}
		this.update(row, index);
		row.classList.toggle("active", index === this.active);
		setAttribute(row, "aria-selected", String(index === this.active));
	}

	newRow() {
		const row = this.create();
		row.id = `row-${++rowNumber}`;
		row.style.height = `${this.rowHeight}px`;
		this.space.append(row);
		return row;
	}

	setActive(index, tells = true) {
		if (this.count === 0) return;
		this.active = Math.min(this.count - 1, Math.max(0, index));
		this.show(this.active);
		inNextFrame(this.draw);
		if (tells) this.select?.(this.active);
	}

	/** Scrolls as little as makes a row visible. */
	show(index) {
		const top = index * this.rowHeight;
		const { scrollTop, clientHeight } = this.scroller;
		if (top < scrollTop) this.scroller.scrollTop = top;
		else if (top + this.rowHeight > scrollTop + clientHeight) {
			this.scroller.scrollTop = top + this.rowHeight - clientHeight;
		}
	}

	showEnd() {
		this.scroller.scrollTop = this.count * this.rowHeight;
	}

	get isAtEnd() {
		const { scrollTop, clientHeight, scrollHeight } = this.scroller;
		return scrollTop + clientHeight >= scrollHeight - this.rowHeight;
	}

	clicked(event) {
		if (event.target.closest("button, a")) return;
		const row = event.target.closest("[aria-rowindex]");
		if (!row) return;
		this.active = row.index;
		inNextFrame(this.draw);
		this.select?.(row.index, event);
	}

	keyDown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
		// Enter and the space bar belong to a button inside the list while it has the focus.
		if (event.target.closest("button") && (event.key === "Enter" || event.key === " ")) return;
		if (this.keys?.(event)) return event.preventDefault();
		const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight) - 1);
		const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page };
		if (event.key in steps) this.setActive(this.active + steps[event.key]);
		else if (event.key === "Home") this.setActive(0);
		else if (event.key === "End") this.setActive(this.count - 1);
		else if (event.key === "Enter" && this.active >= 0) this.open?.(this.active);
		else return;
		event.preventDefault();
	}
}
