"""The card of notation that a class has beside it: each sign, and what it stands for."""

NOTATION = (
    ("f = h + ψ", "what is minimised: h is smooth, ψ is simple, for instance λ‖x‖₁ or 0"),
    ("L", "the largest curvature of h; a step has the length 1/L"),
    ("μ", "strong convexity: no curvature is smaller"),
    ("κ = L/μ", "the condition number"),
    ("T_L(x)", "a proximal gradient step: the minimiser over z of ⟨∇h(x), z⟩ + L/2 ‖z − x‖² + ψ(z)"),
    ("g_L(x)", "L (x − T_L(x)), the gradient mapping; ∇f(x) where ψ = 0"),
    ("initial gap", "f(y₀) − f*, with f* the least value of f"),
    ("relative gap", "f(yₖ) − f* as a part of the initial gap"),
    ("βₖ", "momentum: xₖ₊₁ = yₖ + βₖ (yₖ − yₖ₋₁), then yₖ₊₁ = T_L(xₖ₊₁)"),
    ("μ̂(y)", "an estimate of μ: ‖∇f(y)‖² / (2 (f(y) − f*)) where ψ = 0"),
    ("μₖ", "the smallest estimate so far"),
    ("log Aₖ", "how far the bound has fallen: log Aₖ₊₁ = log Aₖ − log(1 − √(μₖ/L)), and gap ≤ constant/Aₖ"),
    ("γ", "the restarted method restarts when the gap first falls to a level exp(−γj) of the initial gap"),
)
