// Real mathematics beside a chart, as MathML: browsers draw it with no library, and screen readers read it.
// A formula is a list of a tag and its parts: texts and further lists.

const TAGS = new Set(["mrow", "mi", "mo", "mn", "mtext", "msub", "msup", "msubsup", "mfrac", "msqrt", "mover", "munder", "mspace"]);
const NAMESPACE = "http://www.w3.org/1998/Math/MathML";

export function makeFormula(parts) {
  const math = document.createElementNS(NAMESPACE, "math");
  math.setAttribute("class", "pk-math");
  math.setAttribute("displaystyle", "true"); // large enough fractions for the last row
  math.append(...parts.map(mathNode));
  return math;
}

function mathNode(part) {
  if (typeof part === "string") return document.createTextNode(part);
  const [tag, ...inner] = part;
  if (!TAGS.has(tag)) throw new Error(`no mathematics: ${tag}`);
  const node = document.createElementNS(NAMESPACE, tag);
  if (tag === "mo" && /^[()]$/.test(inner[0])) node.setAttribute("stretchy", "false"); // around one line they need not grow
  if (tag === "mspace") node.setAttribute("width", inner[0]);
  else node.append(...inner.map(mathNode));
  return node;
}
