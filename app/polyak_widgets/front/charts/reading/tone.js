// A short tone whose pitch says how high something stands: on a logarithmic axis it follows the logarithm of the gap.

const [LOWEST, OCTAVES] = [110, 4]; // hertz at the lower edge of a chart, and how far up its upper edge is
const [LENGTH, RISE, LOUDNESS] = [0.16, 0.01, 0.15];

export class Tone {
  on = false;

  // A browser lets a page sound only after a click or a key, and nothing is made before the first of them.
  toggle() {
    this.on = !this.on;
    this.audio ??= new AudioContext();
    if (this.on) this.audio.resume();
    else this.audio.suspend();
    return this.on;
  }

  // `height` is between 0 and 1; what is no number is silent.
  play(height) {
    if (!Number.isFinite(height)) return;
    const { audio } = this;
    const [now, end] = [audio.currentTime, audio.currentTime + LENGTH];
    const [wave, loudness] = [audio.createOscillator(), audio.createGain()];
    wave.frequency.value = LOWEST * 2 ** (OCTAVES * Math.min(Math.max(height, 0), 1));
    loudness.gain.setValueAtTime(0, now);
    loudness.gain.linearRampToValueAtTime(LOUDNESS, now + RISE);
    loudness.gain.exponentialRampToValueAtTime(0.001, end); // without a click
    wave.connect(loudness).connect(audio.destination);
    wave.start(now);
    wave.stop(end);
  }

  dispose() {
    this.audio?.close();
  }
}
