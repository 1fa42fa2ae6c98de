// How a run stands is read and is told by the stream, in any order. It is read again when the stream tells something else.
export class Stand {
  #read = null;
  #told = null;

  // reads and tells take {status, live}. The answer: whether the run is to be read again.
  reads({ status, live }) {
    this.#read = { status, live };
    return this.#differs();
  }

  tells({ status, live }) {
    this.#told = { status, live };
    return this.#differs();
  }

  // What was told is a reason once: what was read after it may be newer.
  #differs() {
    const [read, told] = [this.#read, this.#told];
    if (!read || !told) return false;
    this.#told = null;
    return read.status !== told.status || read.live !== told.live;
  }
}
