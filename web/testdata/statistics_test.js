// What series are called.
import { equal } from "./check.js";
import { called, calledTogether } from "../app/core/statistics.js";

const gradient = { name: "gradient/Net_fc1.weight", words: "gradient of fc1.weight", stat: "abs_mean" };
const last = { ...gradient, name: "gradient/Net_fc2.bias", words: "gradient of fc2.bias" };

export const tests = {
  "a series is called by what it is, in words"() {
    for (const [series, want] of [
      [gradient, "mean magnitude of the gradient of fc1.weight"],
      [{ name: "Net_fc1.weight", words: "fc1.weight", stat: "l2" }, "L2 norm of fc1.weight"],
      [{ name: "act_output_0", words: "output of ReLU act", stat: "units[channel,above=0].dead" }, "units dead of the output of ReLU act"],
      [{ name: "loss", words: "loss", stat: "value" }, "loss"],
      [{ name: "x", stat: "mean" }, "mean of x"],
    ]) equal(called(series), want);
  },
  "several series have one title"() {
    const loss = { name: "loss", words: "loss", stat: "value" };
    equal(calledTogether([gradient]), { title: "Mean magnitude of the gradient of fc1.weight", labels: ["mean magnitude of the gradient of fc1.weight"] });
    equal(calledTogether([loss]), { title: "loss", labels: ["loss"] });
    equal(calledTogether([gradient, last]), { title: "Mean magnitude: gradient of fc1.weight and gradient of fc2.bias", labels: ["gradient of fc1.weight", "gradient of fc2.bias"] });
    equal(calledTogether([gradient, { ...last, stat: "l2" }]), { title: "Gradient of fc1.weight and gradient of fc2.bias", labels: ["mean magnitude of the gradient of fc1.weight", "L2 norm of the gradient of fc2.bias"] });
    equal(calledTogether([{ ...loss, mode: "EVAL" }, { ...loss, mode: "TRAIN" }]), { title: "loss", labels: ["evaluation", "training"] });
    equal(calledTogether([loss, last]).title, "loss and gradient of fc2.bias");
  },
};
