// Small makers of elements. Text goes in as text nodes only, so no data can become markup.

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

export function makeSvg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
}

// Writing equal text would still cost a layout, and a screen reader may read it out again.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Several widgets and several views of one widget share a page, so a counter alone would repeat ids.
export function freshId(stem) {
  return `pk-${stem}-${Math.random().toString(36).slice(2, 10)}`;
}

// Setting the value moves the caret to the end; someone may be typing.
export function writeKeepingCaret(input, text) {
  if (input.value === text) return;
  const { selectionStart: start, selectionEnd: end } = input;
  input.value = text;
  if (document.activeElement === input) input.setSelectionRange(start, end);
}
