/** Draws the content of `place` again, and puts the focus on the control that is where the focused one was. */
export function keepFocus(place, draw, otherwise) {
    const controls = () => [...place.querySelectorAll("a, button, [tabindex]")];
    const at = controls().indexOf(document.activeElement);
    draw();
    if (at >= 0) (controls()[at] ?? otherwise).focus({ preventScroll: true });
}
