// The connection to the server: requests with an id, answers with the same id.
// The server keeps no game, so requests without an answer are sent again after a reconnection.

const ON_THE_WAY = ['info', 'trace_begins', 'trace_part']; // messages after which others follow

class Socket extends EventTarget {
  #socket = null;
  #next = 1;
  #pending = new Map(); // id -> { message, resolve, reject, onInfo }
  #wait = 500; // milliseconds until the next try
  welcome = null;
  open = false;

  connect() {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    // The page's address may hold a token that the server asks for.
    const socket = new WebSocket(`${scheme}//${location.host}/socket${location.search}`);
    this.#socket = socket;
    socket.onopen = () => {
      this.open = true;
      this.#wait = 500;
      for (const { message } of this.#pending.values()) socket.send(JSON.stringify(message));
      this.#tell('state', { text: 'Connected', good: true });
    };
    socket.onmessage = event => this.#receive(JSON.parse(event.data));
    socket.onclose = () => {
      this.open = false;
      const seconds = this.#wait / 1000;
      this.#tell('state', { text: `Connection lost. Trying again in ${seconds < 1 ? 'a moment' : Math.round(seconds) + ' s'}…`, good: false });
      setTimeout(() => this.connect(), this.#wait);
      this.#wait = Math.min(this.#wait * 2, 15000);
    };
  }

  #tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  #receive(message) {
    if (message.type === 'welcome') {
      this.welcome = message;
      this.#tell('welcome', message);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (message.type === 'error') {
      this.#tell('error', message);
      if (pending) {
        this.#pending.delete(message.id);
        pending.reject(Object.assign(new Error(message.message), { shown: true }));
      }
      return;
    }
    if (!pending) return;
    if (ON_THE_WAY.includes(message.type)) {
      pending.onInfo?.(message);
      return;
    }
    this.#pending.delete(message.id);
    pending.resolve(message);
  }

  /** Sends a request. The promise ends with the answer; `onInfo` gets what the server tells on the way. */
  request(message, onInfo = null) {
    const id = this.#next++;
    const full = { ...message, id };
    const promise = new Promise((resolve, reject) => this.#pending.set(id, { message: full, resolve, reject, onInfo }));
    if (this.open) this.#socket.send(JSON.stringify(full));
    return promise;
  }

  /** Ends the play, analysis or watch under way. It still answers. */
  stop() {
    if (this.open) this.#socket.send(JSON.stringify({ type: 'stop', id: this.#next++ }));
  }
}

export const socket = new Socket();
