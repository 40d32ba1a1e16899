"""The step in PyTorch, f64, eager: nested autograd.grad, as most users write it."""
from timing import arguments, best_seconds, limit_threads, report

OPTIONS = arguments(__doc__.splitlines()[0])
limit_threads(OPTIONS.threads)

import torch  # noqa: E402  (after the limit on threads)

from cases import BETA1, BETA2, CASES, DAMPING, DELTA, GAIN, RATE, weights  # noqa: E402

torch.set_default_dtype(torch.float64)
torch.set_num_threads(OPTIONS.threads)


def network(case):
    layers = []
    for matrix, bias in weights(case):
        layer = torch.nn.Linear(*matrix.shape)
        layer.weight.data, layer.bias.data = torch.tensor(matrix.T.copy()), torch.tensor(bias)
        layers += [layer, torch.nn.Tanh()]
    return torch.nn.Sequential(*layers[:-1])


def derivatives(output, points):
    """The gradient of every point's output by its coordinates, one column each."""
    gradient, = torch.autograd.grad(output, points, torch.ones_like(output), create_graph=True)
    return gradient.split(1, dim=1)


def laplacian(first, points):
    return sum(derivatives(first[axis], points)[axis] for axis in range(len(first) - 1))


def residuals(case, model, points):
    fields = model(points).split(1, dim=1)
    if case.name == "navier_stokes":
        return navier_stokes_residuals(case, fields, points)
    u, = fields
    first = derivatives(u, points)
    diffusion = first[-1] - case.viscosity * laplacian(first, points)
    return diffusion if case.name == "heat" else diffusion + u * first[0]


def navier_stokes_residuals(case, fields, points):
    u, v, p = fields
    du, dv, dp = (derivatives(field, points) for field in fields)
    momentum = [
        d[2] + u * d[0] + v * d[1] + dp[axis] - case.viscosity * laplacian(d, points)
        for axis, d in enumerate((du, dv))
    ]
    return torch.cat([*momentum, du[0] + dv[1]], 1)


def losses(case, model):
    """Functions of no arguments: objective, initial condition, walls."""
    interior = torch.tensor(case.interior, requires_grad=True)
    initial, initial_values, walls, wall_values = map(
        torch.tensor, (case.initial, case.initial_values, case.walls, case.wall_values))
    return (lambda: residuals(case, model, interior).square().mean(),
            lambda: (model(initial) - initial_values).square().mean(),
            lambda: (model(walls) - wall_values).square().mean())


def flat_gradient(loss, parameters):
    # The last bias has no part in a residual of derivatives alone: its gradient is absent, not zero.
    gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
    return torch.cat([(torch.zeros_like(p) if g is None else g).reshape(-1) for g, p in zip(gradients, parameters)])


def adam_direction(terms, parameters):
    return flat_gradient(sum(term() for term in terms), parameters)


def adamflip_direction(terms, parameters):
    """g = grad f + J^T lambda with lambda = -(J J^T + eps I)^-1 (J grad f - K h)."""
    objective, *conditions = (term() for term in terms)
    gradient = flat_gradient(objective, parameters)
    jacobian = torch.stack([flat_gradient(condition, parameters) for condition in conditions])
    violation = torch.stack(conditions).detach()
    system = jacobian @ jacobian.T + DAMPING * torch.eye(len(conditions))
    multiplier = -torch.linalg.solve(system, jacobian @ gradient - GAIN * violation)
    return gradient + jacobian.T @ multiplier


@torch.no_grad()
def adam_update(parameters, m, v, g, t):
    m.mul_(BETA1).add_(g, alpha=1 - BETA1)
    v.mul_(BETA2).addcmul_(g, g, value=1 - BETA2)
    change = RATE * (m / (1 - BETA1**t)) / ((v / (1 - BETA2**t)).sqrt() + DELTA)
    for parameter, part in zip(parameters, change.split([p.numel() for p in parameters])):
        parameter.sub_(part.view_as(parameter))


def repetition(case, method):
    """A function of no arguments that makes `case.steps` steps and returns the norm of theta."""
    model = network(case)
    parameters = list(model.parameters())
    terms = losses(case, model)
    direction = {"adam": adam_direction, "adamflip": adamflip_direction}[method]
    size = sum(p.numel() for p in parameters)

    def run():
        m, v = torch.zeros(size), torch.zeros(size)
        for t in range(1, case.steps + 1):
            adam_update(parameters, m, v, direction(terms, parameters), t)
        return torch.cat([p.detach().reshape(-1) for p in parameters]).norm().item()

    return run


def main():
    for case in (CASES[name]() for name in OPTIONS.cases.split(",")):
        for method in OPTIONS.methods.split(","):
            run = repetition(case, method)
            theta_norm = run()
            seconds = best_seconds(run, OPTIONS.seconds)
            report("torch", "eager", case, method, seconds, theta_norm, OPTIONS, torch.__version__)


if __name__ == "__main__":
    main()
