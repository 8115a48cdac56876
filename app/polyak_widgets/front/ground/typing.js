// What somebody types counts when it is finished: on Enter, on leaving the field, or after a short pause. On the way
// to 1e5 a reader has asked neither for 1 nor for what is wrong with "1e".

const TYPING_PAUSE = 400; // milliseconds

// Hands what stands in `input` to `take`, each finished text once.
export function makeTyping(input, take) {
  let timer = null;
  const finish = () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    take(input.value);
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(finish, TYPING_PAUSE);
  });
  input.addEventListener("keydown", (event) => event.key === "Enter" && finish());
  input.addEventListener("blur", finish);
  return {
    finish,
    get going() {
      return timer !== null;
    },
  };
}
