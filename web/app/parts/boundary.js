// A panel that breaks says so in its place; the rest of the page goes on.
import { Component, html } from "../vendor/preact.js";
import { Failed } from "./empty.js";

export class Boundary extends Component {
  constructor() {
    super();
    this.state = { error: null };
  }

  componentDidCatch(error) {
    console.error(error);
    this.setState({ error });
  }

  // Another thing in the same place starts afresh: <Boundary of=${page}>.
  componentDidUpdate(before) {
    if (before.of !== this.props.of && this.state.error) this.setState({ error: null });
  }

  render({ children, what = "This panel" }, { error }) {
    if (!error) return children;
    return html`<${Failed} what=${`${what} broke.`} error=${error} again=${() => this.setState({ error: null })} />`;
  }
}
