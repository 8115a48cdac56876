// Stands for the MathJax 2 that Voila is told to use, whose address is that of an empty script. Voila else loads
// MathJax 3 on every page, 230 kB, and the formulas of this one are MathML.
(() => {
  const nothing = () => {};
  const Register = { StartupHook: nothing };
  window.MathJax = { Hub: { Config: nothing, Configured: nothing, Queue: nothing, Register } };
})();
