// Runs in a page before its own scripts: counts what is asked for and what is painted, and notes when what is waited for was on the screen.
(() => {
  const bench = (globalThis.bench = { pending: 0, answered: 0, painted: 0 });
  const counted = (promise) => {
    bench.pending++;
    const done = () => void bench.pending--;
    promise.then(done, done);
    return promise;
  };

  const fetched = globalThis.fetch;
  globalThis.fetch = (...given) => counted(fetched(...given));
  for (const how of ["arrayBuffer", "json", "text"]) {
    const read = Response.prototype[how];
    Response.prototype[how] = function () {
      const body = counted(read.call(this));
      body.then(() => {
        bench.answered++;
        bench.paintedThen = bench.painted;
      }, () => {});
      return body;
    };
  }
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...given) {
    bench.pending++;
    this.addEventListener("loadend", () => {
      bench.pending--;
      bench.answered++;
      bench.onAnswer?.(this);
    });
    return send.apply(this, given);
  };
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...given) {
    bench.painted++;
    return clear.apply(this, given);
  };

  // now is the time on the clock of all processes, in milliseconds.
  bench.now = () => performance.timeOrigin + performance.now();

  // painted calls done when the frame in which it is called has been painted.
  bench.afterPaint = (done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(bench.now());
    port2.postMessage(0);
  });

  // when is the time at which a condition, looked at in each frame, was painted.
  bench.when = (is, limit = 45_000) => new Promise((done, fail) => {
    const end = performance.now() + limit;
    const look = () => {
      let yes = false;
      try {
        yes = Boolean(is());
      } catch {
        // what it asks about is not there yet
      }
      if (yes) bench.afterPaint(done);
      else if (performance.now() > end) fail(new Error("given up: " + is));
      else requestAnimationFrame(look);
    };
    look();
  });

  const seen = (element) => {
    const box = element.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight && box.width > 0;
  };
  // drawn is true when all that is in sight of some elements has a canvas and nothing there is loading.
  bench.drawn = (selector) => {
    const list = [...document.querySelectorAll(selector)].filter(seen);
    return bench.painted > 0 && list.length > 0 && list.every((one) => one.querySelector("canvas") && !one.querySelector("[aria-busy=true], .pulse")) && !document.querySelector("[aria-busy=true], .loading");
  };

  // missing says what is not, for who waited in vain.
  bench.missing = () => JSON.stringify({ ...bench, busy: [...document.querySelectorAll("[aria-busy=true], .pulse")].map((one) => one.className + ": " + one.innerText.slice(0, 40)), empty: [...document.querySelectorAll(".chart")].filter((one) => seen(one) && !one.querySelector("canvas")).map((one) => one.innerText.slice(0, 60)) });

  bench.shown = bench.when(() => READY);
  bench.shown.catch(() => {}); // who asks for it hears of it
})();
