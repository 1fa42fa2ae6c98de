"""The Tracker's part that makes series of the losses of a step that closes."""

from vigil._torch.steps import EVALUATION


class LossSeries(object):
    """Mixed into Tracker."""

    def _scalars(self, step, outputs):
        """([(id, value)] of the losses of a step, whether the loss itself is among them)."""
        out = []
        publisher = self.publisher
        main = given = None
        if step.losses:
            for state, mean in step.losses.items():
                out.append((publisher.loss_id(state.series), mean.number()))
            if step.own_loss is not None:  # the script gave one, too
                out.append((publisher.metric_id("scalar/loss"), step.own_loss.number()))
        elif step.own_loss is not None:
            main = step.own_loss
        elif outputs and self.functions.gives(outputs[0][0]):
            given, main = self.functions.main(outputs)
        elif outputs:
            chosen = [pair for pair in outputs if pair[0].is_main] or outputs[-1:]
            given, main = chosen[-1]
        if main is not None:
            out.append((publisher.loss_id("loss"), main.number()))
            if step.mode in EVALUATION:
                n = step.samples if given is None else given.samples
                if n:
                    out.append((publisher.samples_id(given is not None and given.sums), float(n)))
        for output, mean in outputs:
            if output.id is None:
                output.id = publisher.series.get(output.name)
                if output.id is None:
                    output.id = publisher.loss_id(output.name, output.type, self._alias(step, output, mean, main))
            out.append((output.id, mean.number()))
        return out, main is not None or bool(step.losses)

    def _alias(self, step, output, mean, main):
        """The series that a loss module's output is another name of, or None."""
        if mean is main:
            return "loss"
        if not output.is_main or not step.losses:
            return None
        value = mean.number()
        for state, other in step.losses.items():
            other = other.number()
            if type(value) is not float or type(other) is not float:
                return "loss" if len(step.losses) == 1 else None
            if abs(other - value) <= 1e-6 * max(abs(value), 1e-30):
                return state.series
        return None
