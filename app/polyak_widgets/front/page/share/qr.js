// A link as a QR code over the page, as large as the screen allows: phones read it off a projector.

import { make, makeSvg, setText } from "../../ground/dom.js";
import { TEXTS } from "../../ground/texts.js";

export function makeQr() {
  const path = makeSvg("path", { fill: "#000000" });
  const picture = makeSvg("svg", { role: "img", "aria-label": TEXTS.qr.ofTheLink }, path);
  const link = make("p", { class: "pk-qr-link" });
  const close = make("button", { type: "button", class: "pk-switch", autofocus: true }, TEXTS.qr.close);
  const node = make("dialog", { class: "pk-root pk-qr", "aria-label": TEXTS.qr.code }, picture, link, close);
  close.addEventListener("click", () => node.close());
  node.addEventListener("click", ({ target }) => target === node && node.close());
  return {
    node,
    show({ link: address, path: modules, side }) {
      path.setAttribute("d", modules);
      picture.setAttribute("viewBox", `0 0 ${side} ${side}`);
      setText(link, address);
      node.showModal();
    },
  };
}

// What a course page writes to show this picture in a frame.
export function frameOf(link) {
  const address = link.replaceAll("&", "&amp;").replaceAll('"', "%22");
  return [
    `<iframe src="${address}"`,
    `  title="${TEXTS.qr.title}" style="width: 100%; height: 760px; border: 0"`,
    '  allow="clipboard-write; fullscreen"></iframe>',
  ].join("\n");
}
