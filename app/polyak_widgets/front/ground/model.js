// What stands in the place of anywidget's model where there are no widgets: a state, and who listens to its parts. And what
// anywidget's own cannot do.

export class Model {
  constructor(state) {
    this.state = state;
    this.listeners = [];
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    this.state[name] = value;
    this.tell(`change:${name}`);
  }

  tell(event, ...details) {
    for (const [name, react] of [...this.listeners]) if (name === event) react(...details);
  }

  on(event, react) {
    this.listeners.push([event, react]);
  }

  off(event, react) {
    this.listeners = this.listeners.filter(([name, listener]) => name !== event || listener !== react);
  }

  save_changes() {}

  send() {}
}

// Lets a widget send its changes again once a line is back. ipywidgets holds them back until the process has dealt with the
// one before, and waits for ever for a word of that which went down with the line. This function alone knows the inner names
// of ipywidgets.
export async function release(model) {
  const host = await model.widget_manager?.get_model?.(model.get("own_id"));
  if (host?._pending_msgs > 0) host._handle_status?.({ content: { execution_state: "idle" } });
}

// Bytes that a file carries as base64.
export function bytesOf(letters) {
  return new DataView(Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0)).buffer);
}
