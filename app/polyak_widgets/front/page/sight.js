// Tells Python what is in sight: this page, and in it the closer look. What nobody sees need not be computed.

export class Sight {
  // `tell` sends the message.
  constructor(closerLook, tell) {
    this.tell = tell;
    this.third = true;
    this.told = "";
    this.watch = new IntersectionObserver((changes) => this.say(changes.at(-1).isIntersecting));
    this.watch.observe(closerLook);
    document.addEventListener("visibilitychange", (this.onSight = () => this.say()));
  }

  say(third = this.third) {
    this.third = third;
    const now = { page: !document.hidden, third };
    const words = JSON.stringify(now);
    if (words !== this.told) this.tell(now);
    this.told = words;
  }

  // For a session that began anew.
  repeat() {
    this.tell(JSON.parse(this.told || "{}"));
  }

  dispose() {
    this.watch.disconnect();
    document.removeEventListener("visibilitychange", this.onSight);
  }
}
